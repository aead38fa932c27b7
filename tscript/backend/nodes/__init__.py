"""The emitters: a file for each kind of node of the IR."""
