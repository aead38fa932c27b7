"""The native library as source in the low-level dialect: data to the compiler, plain functions to CPython.

Tiers, each using only the ones before: `memory` (allocator, reference counts), `tensor` (headers, storages, layouts),
then the operators' kernels. `library` lists them all.
"""
