"""What exists while compiled code runs: the native library, the boundary to CPython, tensors, eager operators."""
