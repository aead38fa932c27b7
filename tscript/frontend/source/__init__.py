"""Source text and what its names, annotations and classes mean; nothing of IR."""
