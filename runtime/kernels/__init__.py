"""The native library as source in the low-level dialect: data to the compiler, plain functions to CPython.

Tiers, each using only the ones before:

1. `memory`: the allocator, reference counts.
2. `tensor`: headers and storages; `shapes`: arithmetic on sizes and dimensions; `codes`: dtypes at run time.
3. Elements: `copy` and `convert` move and convert them, `reduce` is the reduction driver, `gemm` multiplies
   matrices, `rows` feeds fused groups.
4. Operators: `views`, `creation`, `join`, `indexing`, `reductions`, `linalg`, `scalars`.

`library` finds them by symbol: operators name theirs. A kernel checks every size and index it is given, raises in
PyTorch's words, and gives back what it has allocated before it raises: what may raise comes first, then
`tensor.begin_work`, then the work.
"""
