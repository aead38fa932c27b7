"""Operators of tensors, a file per family."""
