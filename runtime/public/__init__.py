"""The faces of the one process: what a program asks of the runtime without an object."""
