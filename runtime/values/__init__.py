"""Tensors, conversions and types of native values, on the Python side."""
