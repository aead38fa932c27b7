"""What can be done with each kind of value."""
