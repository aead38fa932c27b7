"""What the program asks of the runtime without an object: the faces of the one process (`runtime/session/process.py`)."""
