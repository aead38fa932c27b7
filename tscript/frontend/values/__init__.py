"""The operations of each kind of value."""
