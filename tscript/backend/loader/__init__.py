"""LLVM text to objects, objects to code in the process; the cache of objects."""
