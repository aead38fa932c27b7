"""Source text, and the meaning of its names, annotations and classes; nothing about IR."""
