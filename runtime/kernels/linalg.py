"""Tier 3: products of matrices and vectors. ``T`` is the dtype of both operands and of the result.

float32 and float64 go to the BLAS that `tscript.runtime.session.blas` found, one call per matrix of a batch, transposed
operands as they lie; operands that BLAS cannot read are packed first. Other dtypes, and all where there is no BLAS,
take `gemm.multiply_own`. Names are those of `gemm`.
"""

from __future__ import annotations

from tscript.abi.folds import BLOCK, LANES, LEVELS
from tscript.abi.layout import MAX_RANK
from tscript.dialect import (
    ByType,
    Ptr,
    Storage,
    T,
    TensorImpl,
    Void,
    address,
    b8,
    context,
    function,
    i64,
    pointer,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels.gemm import (
    LARGEST_BLAS_SIZE,
    has_blas,
    multiply_blas,
    multiply_own,
    must_pack,
    pack_matrix,
)
from tscript.runtime.kernels.layouts import may_lay_out
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.panels import COLUMNS as COLUMNS_OF_PANEL
from tscript.runtime.kernels.panels import multiply_laid_out, panels_of_constant
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.reduce import HALF
from tscript.runtime.kernels.shapes import broadcast_into
from tscript.runtime.kernels.tensor import (
    begin_work,
    is_complex,
    is_floating,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
    tensor_release,
)
from tscript.types import dtypes

FLOPS = 16
"""Products that take as long as one element elsewhere."""

GRAIN = 1 << 19
"""Products of numbers, in several matrices, that are worth another thread."""

TO, A, A0, A1, B, B0, B1, ROWS, COLUMNS, INNER, RANK, BATCH, BATCH_A, BATCH_B = range(14)
"""Cells of the task of a divided batch."""


def try_scratch(wanted: b8, elements: i64, itemsize: i64) -> Ptr[Void]:
    """Memory for a packed operand; null when it is not wanted or there is none."""
    if wanted and elements <= LARGEST // itemsize:
        return heap_try_allocate(elements * itemsize)
    return pointer(0, Void)


def free_scratch(block: Ptr[Void], nbytes: i64) -> None:
    """Give back what `try_scratch` gave."""
    if address(block) != 0:
        heap_free(block, nbytes)


def multiply_batch(
    out: Ptr[TensorImpl],
    a: Ptr[T],
    b: Ptr[T],
    m: i64,
    n: i64,
    k: i64,
    a0: i64,
    a1: i64,
    b0: i64,
    b1: i64,
    nbatch: i64,
    batch: Ptr[i64],
    batch_a: Ptr[i64],
    batch_b: Ptr[i64],
    constant: Ptr[Storage],
) -> None:
    """Fill the new tensor `out` with the products of a batch of matrices; releases it before raising MemoryError.

    Args:
        a, b: First elements of the operands.
        a0, a1, b0, b1: Strides inside a matrix.
        nbatch, batch, batch_a, batch_b: Sizes of the batch and the operands' strides there.
        constant: The storage of `b`.
    """
    to = pointer_cast(out.data, T)
    count = 1
    for d in range(nbatch):
        count = count * batch[d]
    if out.numel == 0:
        return
    if k == 0:
        for i in range(out.numel):
            to[i] = T(0)
        return
    use_blas = has_blas() and (is_floating(out.dtype) or is_complex(out.dtype)) and (m | n | k) <= LARGEST_BLAS_SIZE
    pack_a = use_blas and must_pack(m, k, a0, a1)
    pack_b = b1 != 1
    if use_blas:
        pack_b = must_pack(k, n, b0, b1)
    itemsize = itemsize_of(out.dtype)
    if may_lay_out(constant):
        if multiply_constant(T(0), to, a, a0, a1, b, b0, b1, m, n, k, count, constant, itemsize):
            return
    bytes_a = m * k * itemsize
    bytes_b = k * n * itemsize
    scratch_a = try_scratch(pack_a, m * k, itemsize)
    scratch_b = try_scratch(pack_b, k * n, itemsize)
    if (pack_a and address(scratch_a) == 0) or (pack_b and address(scratch_b) == 0):
        free_scratch(scratch_a, bytes_a)
        free_scratch(scratch_b, bytes_b)
        tensor_release(out)
        raise MemoryError("there is no memory to pack the operands of a product of matrices")
    begin_work(out.numel * k // FLOPS)
    if use_blas and not pack_a and not pack_b and count > 1:
        task = stack(14, i64)
        task[TO] = address(to)
        task[A] = address(a)
        task[A0] = a0
        task[A1] = a1
        task[B] = address(b)
        task[B0] = b0
        task[B1] = b1
        task[ROWS] = m
        task[COLUMNS] = n
        task[INNER] = k
        task[RANK] = nbatch
        task[BATCH] = address(batch)
        task[BATCH_A] = address(batch_a)
        task[BATCH_B] = address(batch_b)
        of_one = m * n * k
        if count * of_one > 2 * GRAIN:
            parallel(context(), function(multiply_some), task, count, GRAIN // of_one + 1)
        else:
            multiply_some(task, 0, count)
        return
    counters = stack(MAX_RANK, i64)
    for d in range(nbatch):
        counters[d] = 0
    at_a = 0
    at_b = 0
    for i in range(count):
        left = a + at_a
        left0 = a0
        left1 = a1
        if pack_a:
            left = pointer_cast(scratch_a, T)
            left0 = k
            left1 = 1
            pack_matrix(left, a + at_a, m, k, a0, a1)
        right = b + at_b
        right0 = b0
        right1 = b1
        if pack_b:
            right = pointer_cast(scratch_b, T)
            right0 = n
            right1 = 1
            pack_matrix(right, b + at_b, k, n, b0, b1)
        if use_blas:
            multiply_blas(to + i * m * n, left, left0, left1, right, right0, right1, m, n, k)
        else:
            multiply_own(to + i * m * n, left, left0, left1, right, right0, m, n, k, n)
        d = nbatch - 1
        while d >= 0:
            counters[d] = counters[d] + 1
            at_a = at_a + batch_a[d]
            at_b = at_b + batch_b[d]
            if counters[d] < batch[d]:
                break
            counters[d] = 0
            at_a = at_a - batch_a[d] * batch[d]
            at_b = at_b - batch_b[d] * batch[d]
            d = d - 1
    free_scratch(scratch_a, bytes_a)
    free_scratch(scratch_b, bytes_b)


LEAST_ROWS, MOST_ROWS = 4, 1024
"""Of A, for products with panels: of fewer BLAS reads B once as well, and of more laying it out hardly counts."""


def multiply_panels_floats(
    _element: T,
    c: Ptr[T],
    a: Ptr[T],
    a0: i64,
    a1: i64,
    b: Ptr[T],
    b0: i64,
    b1: i64,
    m: i64,
    n: i64,
    k: i64,
    count: i64,
    constant: Ptr[Storage],
    itemsize: i64,
) -> b8:
    """C = A B where B is a constant that is laid out once; False, and nothing is done, where that does not pay."""
    if count != 1 or m < LEAST_ROWS or m > MOST_ROWS or n < COLUMNS_OF_PANEL or a1 != 1 or a0 < k:
        return False
    panels = panels_of_constant(constant, b, b1, b0, n, k, itemsize)
    if panels == 0:
        return False
    begin_work(m * n * k // FLOPS)
    multiply_laid_out(c, a, a0, pointer(panels, T), m, n, k)
    return True


def multiply_panels_others(
    _element: T,
    c: Ptr[T],
    a: Ptr[T],
    a0: i64,
    a1: i64,
    b: Ptr[T],
    b0: i64,
    b1: i64,
    m: i64,
    n: i64,
    k: i64,
    count: i64,
    constant: Ptr[Storage],
    itemsize: i64,
) -> b8:
    """The same of other dtypes, for which it never pays."""
    return False


multiply_constant = ByType(
    {
        dtypes.float32: multiply_panels_floats,
        dtypes.float64: multiply_panels_floats,
        **{
            d: multiply_panels_others
            for d in (*dtypes.DTYPES, *dtypes.COMPLEX_DTYPES)
            if d not in (dtypes.float32, dtypes.float64)
        },
    }
)


def multiply_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some products of a batch, by BLAS, none of whose operands is packed."""
    m = task[ROWS]
    n = task[COLUMNS]
    batch = pointer(task[BATCH], i64)
    batch_a = pointer(task[BATCH_A], i64)
    batch_b = pointer(task[BATCH_B], i64)
    for i in range(begin, end):
        at_a = 0
        at_b = 0
        rest = i
        d = task[RANK] - 1
        while d >= 0:
            index = rest % batch[d]
            rest = rest // batch[d]
            at_a = at_a + index * batch_a[d]
            at_b = at_b + index * batch_b[d]
            d = d - 1
        multiply_blas(
            pointer(task[TO], T) + i * m * n,
            pointer(task[A], T) + at_a,
            task[A0],
            task[A1],
            pointer(task[B], T) + at_b,
            task[B0],
            task[B1],
            m,
            n,
            task[INNER],
        )


def multiply_matrices(self: Ptr[TensorImpl], other: Ptr[TensorImpl], _element: T) -> Ptr[TensorImpl]:
    """The product of two matrices whose sizes match."""
    sizes = stack(2, i64)
    sizes[0] = sizes_of(self)[0]
    sizes[1] = sizes_of(other)[1]
    out = tensor_alloc(self.dtype, 2, sizes)
    nothing = stack(1, i64)
    multiply_batch(
        out,
        pointer_cast(self.data, T),
        pointer_cast(other.data, T),
        sizes[0],
        sizes[1],
        sizes_of(self)[1],
        strides_of(self)[0],
        strides_of(self)[1],
        strides_of(other)[0],
        strides_of(other)[1],
        0,
        nothing,
        nothing,
        nothing,
        other.storage,
    )
    return out


def mm(self: Ptr[TensorImpl], mat2: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.mm`: (m, k) by (k, n).

    Raises RuntimeError when an operand is no matrix or the sizes do not match.
    """
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if sizes_of(self)[1] != sizes_of(mat2)[0]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied ({0}x{1} and {2}x{3})",
            sizes_of(self)[0],
            sizes_of(self)[1],
            sizes_of(mat2)[0],
            sizes_of(mat2)[1],
        )
    return multiply_matrices(self, mat2, T(0))


def bmm(self: Ptr[TensorImpl], mat2: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.bmm`: (b, m, k) by (b, k, n).

    Raises RuntimeError when an operand is no batch of matrices or the sizes do not match.
    """
    if self.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    a = sizes_of(self)
    b = sizes_of(mat2)
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: [{0}, {1}] but got: [{2}, {3}].",
            a[0],
            a[2],
            b[0],
            b[1],
        )
    sizes = stack(3, i64)
    sizes[0] = a[0]
    sizes[1] = a[1]
    sizes[2] = b[2]
    out = tensor_alloc(self.dtype, 3, sizes)
    multiply_batch(
        out,
        pointer_cast(self.data, T),
        pointer_cast(mat2.data, T),
        a[1],
        b[2],
        a[2],
        strides_of(self)[1],
        strides_of(self)[2],
        strides_of(mat2)[1],
        strides_of(mat2)[2],
        1,
        sizes,
        strides_of(self),
        strides_of(mat2),
        mat2.storage,
    )
    return out


def mv(self: Ptr[TensorImpl], vec: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.mv`: (m, k) by (k).

    Raises RuntimeError when the operands are no matrix and vector or the sizes do not match.
    """
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError("vector + matrix @ vector expected, got {0}, {1}, {2}", 1, i64(self.ndim), i64(vec.ndim))
    m = sizes_of(self)[0]
    k = sizes_of(self)[1]
    if k != sizes_of(vec)[0]:
        raise RuntimeError("size mismatch, got input ({0}), mat ({0}x{1}), vec ({2})", m, k, sizes_of(vec)[0])
    out = tensor_alloc(self.dtype, 1, sizes_of(self))
    nothing = stack(1, i64)
    multiply_batch(
        out,
        pointer_cast(self.data, T),
        pointer_cast(vec.data, T),
        m,
        1,
        k,
        strides_of(self)[0],
        strides_of(self)[1],
        strides_of(vec)[0],
        1,
        0,
        nothing,
        nothing,
        nothing,
        vec.storage,
    )
    return out


def dot_block(a: Ptr[T], stride_a: i64, b: Ptr[T], stride_b: i64, n: i64) -> T:
    """The sum of `n` products, at most `BLOCK`, in the order of all reductions."""
    lanes = stack(LANES, T)
    low = stack(HALF, T)
    high = stack(HALF, T)
    for lane in range(HALF):
        low[lane] = T(0)
        high[lane] = T(0)
    whole = n & -LANES
    i = 0
    if stride_a == 1 and stride_b == 1:
        # As in `reduce`: two arrays and short loops become registers.
        while i < whole:
            for lane in range(HALF):
                low[lane] = low[lane] + a[i + lane] * b[i + lane]
            for lane in range(HALF):
                high[lane] = high[lane] + a[i + HALF + lane] * b[i + HALF + lane]
            i = i + LANES
    for lane in range(HALF):
        lanes[lane] = low[lane]
        lanes[HALF + lane] = high[lane]
    while i < n:
        lanes[i & (LANES - 1)] = lanes[i & (LANES - 1)] + a[i * stride_a] * b[i * stride_b]
        i = i + 1
    for lane in range(HALF):
        lanes[lane] = lanes[2 * lane] + lanes[2 * lane + 1]
    half = HALF // 2
    while half > 0:
        for lane in range(half):
            lanes[lane] = lanes[lane] + lanes[lane + half]
        half = half // 2
    return lanes[0]


def dot_product(a: Ptr[T], stride_a: i64, b: Ptr[T], stride_b: i64, n: i64) -> T:
    """The sum of products, in the order of all reductions: see `reduce`."""
    levels = stack(LEVELS, T)
    blocks = 0
    done = 0
    while done < n:
        length = n - done
        if length > BLOCK:
            length = BLOCK
        value = dot_block(a + done * stride_a, stride_a, b + done * stride_b, stride_b, length)
        level = 0
        carry = blocks
        while carry & 1 != 0:
            value = levels[level] + value
            level = level + 1
            carry = carry >> 1
        levels[level] = value
        blocks = blocks + 1
        done = done + length
    total = T(0)
    level = 0
    while (blocks >> level) != 0:
        if (blocks >> level) & 1 != 0:
            total = levels[level] + total
        level = level + 1
    return total


def dot(self: Ptr[TensorImpl], tensor: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.dot`: the sum of products of two vectors.

    Raises RuntimeError when an operand is no vector or they differ in size.
    """
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError("1D tensors expected, but got {0}D and {1}D tensors", i64(self.ndim), i64(tensor.ndim))
    n = sizes_of(self)[0]
    if n != sizes_of(tensor)[0]:
        raise RuntimeError(
            "inconsistent tensor size, expected tensor [{0}] and src [{1}] to have the same number of elements, but "
            "got {0} and {1} elements respectively",
            n,
            sizes_of(tensor)[0],
        )
    nothing = stack(1, i64)
    out = tensor_alloc(self.dtype, 0, nothing)
    begin_work(n)
    to = pointer_cast(out.data, T)
    to[0] = dot_product(
        pointer_cast(self.data, T), strides_of(self)[0], pointer_cast(tensor.data, T), strides_of(tensor)[0], n
    )
    return out


def is_one_matrix(ndim: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> b8:
    """Whether the rows of all matrices of a batch lie as those of one matrix would."""
    expected = strides[ndim - 2] * sizes[ndim - 2]
    for k in range(ndim - 2):
        d = ndim - 3 - k
        if sizes[d] != 1:
            if strides[d] != expected:
                return False
            expected = expected * sizes[d]
    return True


def matmul(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`torch.matmul`: vectors and matrices as `dot`, `mv` and `mm`, more dimensions as a batch that broadcasts.

    Raises RuntimeError when an operand has no dimensions or the shapes do not match.
    """
    na = i64(self.ndim)
    nb = i64(other.ndim)
    if na == 0 or nb == 0:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are {0}D and {1}D", na, nb)
    if na == 1 and nb == 1:
        return dot(self, other)
    if na == 2 and nb == 1:
        return mv(self, other)
    if na == 2 and nb == 2:
        return mm(self, other)
    a = sizes_of(self)
    b = sizes_of(other)
    strides_a = strides_of(self)
    strides_b = strides_of(other)
    m = 1
    a0 = 1
    k = a[na - 1]
    a1 = strides_a[na - 1]
    before_a = 0
    if na > 1:
        m = a[na - 2]
        a0 = strides_a[na - 2]
        before_a = na - 2
    n = 1
    b1 = 1
    rows_b = b[nb - 1]
    b0 = strides_b[nb - 1]
    before_b = 0
    if nb > 1:
        n = b[nb - 1]
        b1 = strides_b[nb - 1]
        rows_b = b[nb - 2]
        b0 = strides_b[nb - 2]
        before_b = nb - 2
    nbatch = before_a
    if before_b > nbatch:
        nbatch = before_b
    sizes = stack(MAX_RANK, i64)
    batch_a = stack(MAX_RANK, i64)
    batch_b = stack(MAX_RANK, i64)
    for d in range(nbatch):
        sizes[d] = 1
        batch_a[d] = 0
        batch_b[d] = 0
    broadcast_into(sizes, nbatch, a, before_a)
    broadcast_into(sizes, nbatch, b, before_b)
    for d in range(before_a):
        if a[d] != 1:
            batch_a[nbatch - before_a + d] = strides_a[d]
    for d in range(before_b):
        if b[d] != 1:
            batch_b[nbatch - before_b + d] = strides_b[d]
    if k != rows_b:
        count = 1
        for d in range(nbatch):
            count = count * sizes[d]
        if before_a > 0 and before_b > 0:
            raise RuntimeError(
                "Expected size for first two dimensions of batch2 tensor to be: [{0}, {1}] but got: [{0}, {2}].",
                count,
                k,
                rows_b,
            )
        if nb == 1:
            raise RuntimeError("size mismatch, got input ({0}), mat ({0}x{1}), vec ({2})", count * m, k, rows_b)
        if before_a > 0:
            m = count * m
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied ({0}x{1} and {2}x{3})", m, k, rows_b, n)
    ndim = nbatch
    if na > 1:
        sizes[ndim] = m
        ndim = ndim + 1
    if nb > 1:
        sizes[ndim] = n
        ndim = ndim + 1
    out = tensor_alloc(self.dtype, ndim, sizes)
    # One matrix on the right and a batch on the left whose rows follow each other: one large product.
    if before_b == 0 and na > 1:
        if is_one_matrix(na, a, strides_a):
            for d in range(nbatch):
                m = m * sizes[d]
            nbatch = 0
    multiply_batch(
        out,
        pointer_cast(self.data, T),
        pointer_cast(other.data, T),
        m,
        n,
        k,
        a0,
        a1,
        b0,
        b1,
        nbatch,
        sizes,
        batch_a,
        batch_b,
        other.storage,
    )
    return out
