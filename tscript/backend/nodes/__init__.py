"""A file for each kind of node of the IR: what writes it to a function."""
