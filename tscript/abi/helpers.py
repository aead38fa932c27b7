"""Names of the functions of the boundary to CPython that stubs and the kernels of conversions call.

They are C functions of `tscript.runtime.boundary`, called with the GIL held. Objects are new references unless a name
says otherwise, or null with an exception set.
"""

from __future__ import annotations

UNBOX_INT = "tsb_unbox_int"
"""``(object, i64 *out, i64 position)``: not 0 on failure."""
UNBOX_DTYPE = "tsb_unbox_dtype"
"""``(object)``: the code of a dtype, negative on failure."""
UNBOX_FUTURE = "tsb_unbox_future"
"""``(object)``: the future behind it, borrowed."""
WRAP = "tsb_wrap"
"""``(tensor)``: its object; takes the reference over."""
WRAP_BORROWED = "tsb_wrap_borrowed"
"""The same for a tensor that stays the caller's."""
ARRAY_IN = "tsb_array_in"
"""``(ndarray)``: a new tensor over its memory, owned. Of an argument whose key says that it is an array."""
ARRAY_DONE = "tsb_array_done"
"""``(tensor)``: drops the reference to what `ARRAY_IN` gave, or nothing for null."""
ARRAY_OUT = "tsb_array_out"
"""``(tensor)``: an ndarray over its memory; takes the reference over."""
TORCH_IN = "tsb_torch_in"
"""``(tensor of PyTorch)``: a new tensor over its memory, owned; `ARRAY_DONE` drops the reference."""
TORCH_OUT = "tsb_torch_out"
"""``(tensor)``: one of PyTorch over its memory; takes the reference over."""
UNBOX_SHARED = "tsb_unbox_shared"
"""``(object, i64 *seen)``: a new tensor over the memory of an array or a tensor of PyTorch, owned; null for anything
else, with an exception only if something failed."""
IS_SHARED = "tsb_is_shared"
"""``(object)``: 1 if `UNBOX_SHARED` takes it."""
IS_GIVEN = "tsb_is_given"
"""``(tensor, object)``: 1 if the tensor was made of the object."""
GENERATOR_IN = "tsb_generator_in"
"""``(Generator of NumPy)``: a new tensor over its ``bitgen_t``, owned."""
GENERATOR_OUT = "tsb_generator_out"
"""``(tensor)``: the Generator that it is of; takes the reference over."""
BOX_TENSOR = "tsb_box_tensor"
"""``(tensor, i64 seen)``: its Python form in a call whose tensors came as that; takes the reference over."""
SCALAR_IN = "tsb_scalar_in"
"""``(NumPy scalar, out)``: writes its bytes."""
SCALAR_CELL = "tsb_scalar_cell"
"""``(object, i64 code, i64 *cell)``: writes a NumPy scalar of a dtype; 0 if the object is none."""
SCALAR_OF_CELL = "tsb_scalar_of_cell"
"""``(i64 cell, i64 code)``: the NumPy scalar of a dtype in a cell."""
SCALAR_OUT = "tsb_scalar_out"
"""``(bytes, i64 code)``: a NumPy scalar of a dtype."""
RETAIN = "tsb_retain"
"""``(tensor)``: one more reference."""
BOX_SIZE = "tsb_box_size"
"""``(tensor)``: a Size as a tuple of ints; takes the reference over."""
BOX_DTYPE = "tsb_box_dtype"
"""``(i32 code)``."""
BOX_FUTURE = "tsb_box_future"
"""``(future)``: its object; takes the reference over."""
BOX_CONSTANT = "tsb_box_constant"
"""``(constants, i64 index)``: a constant of a row."""
PACK = "tsb_pack"
"""``(object *boxes, i64 n)``: a tuple; takes the objects over."""
PACK_AS = "tsb_pack_as"
"""``(object *boxes, i64 n, constants, i64 index)``: the same of the class that is a constant of a row."""
KEEP = "tsb_keep"
"""``(object, i64 failed)``: the object, or null when the call failed in the end."""
FAIL = "tsb_fail"
"""``(context, i32 status)``: null, with the exception of a status."""
FAIL_IN = "tsb_fail_in"
"""``(context, i32 status, marshal)``: the same in a call that has a `Marshal`, or null."""

CONVERTERS = (
    SCALAR_CELL,
    SCALAR_OF_CELL,
    UNBOX_SHARED,
    IS_SHARED,
    IS_GIVEN,
    GENERATOR_IN,
    GENERATOR_OUT,
    BOX_TENSOR,
    WRAP_BORROWED,
    BOX_SIZE,
    BOX_FUTURE,
    UNBOX_FUTURE,
    BOX_DTYPE,
    UNBOX_DTYPE,
)
"""What the kernels of conversions call."""
