"""Tensors on devices: ``to``, ``cpu``, what PyTorch asks of its tensors about gradients and memory, and checks of the
keywords of operators that make tensors.

There is one device, ``cpu``, and no gradients: what asks for others is refused.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,operator,no-any-return,misc"

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import FACTORY, Arg, OpDef, OperatorTypeError
from tscript.late import replace
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import NONE, STR, Type


def check_device(device) -> bool:
    """Refuse all devices but ``cpu``."""
    if device is not None:
        if isinstance(device, str):
            CHECK_DEVICE(torch.device(device))
        elif device.type != "cpu":
            raise RuntimeError(f"there is no device '{device}': tensors lie on the only device, 'cpu'")
    return True


CHECK_DEVICE = composite("check_device(Device? device) -> bool", check_device, names="")


def device_of_name(name):
    """The device of a name."""
    return torch.device(name)


DEVICE_OF_NAME = composite("device.str(str self) -> Device", device_of_name, names="")


def laid_out(x: Tensor, memory_format) -> Tensor:
    """A copy of `x` in a memory format."""
    if memory_format is not None:
        if memory_format == torch.channels_last:
            if x.dim() != 4:
                raise RuntimeError("required rank 4 tensor to use channels_last format")
            return x.permute(0, 2, 3, 1).clone().permute(0, 3, 1, 2)
        if memory_format == torch.channels_last_3d:
            if x.dim() != 5:
                raise RuntimeError("required rank 5 tensor to use channels_last_3d format")
            return x.permute(0, 2, 3, 4, 1).clone().permute(0, 4, 1, 2, 3)
    return x.clone()


def lies_as(x: Tensor, memory_format) -> bool:
    """Whether the elements of `x` lie in a memory format."""
    if memory_format == torch.channels_last:
        return x.dim() == 4 and x.permute(0, 2, 3, 1).is_contiguous()
    if memory_format == torch.channels_last_3d:
        return x.dim() == 5 and x.permute(0, 2, 3, 4, 1).is_contiguous()
    if memory_format == torch.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return x.is_contiguous()


LIES_AS = composite(
    "is_contiguous.format(Tensor self, *, memory_format memory_format) -> bool",
    lies_as,
    "Whether the elements lie in a memory format.",
    names="tscript.is_contiguous Tensor.is_contiguous",
)
LAID_OUT = composite(
    "clone.format(Tensor self, *, memory_format? memory_format) -> Tensor",
    laid_out,
    "A copy in a memory format; without one, or to preserve it, contiguous.",
    names="clone out=no",
)


def contiguous_in(x: Tensor, memory_format) -> Tensor:
    """`x` itself if it lies in a memory format, else a copy."""
    if memory_format == torch.contiguous_format:
        return x.contiguous()
    return x if x.is_contiguous(memory_format=memory_format) else x.clone(memory_format=memory_format)


def to_dtype(x: Tensor, dtype, non_blocking, copy, memory_format) -> Tensor:
    """Converted to `dtype`; with `copy` always a new tensor."""
    made = x.to(dtype)
    if memory_format is not None:
        if memory_format == torch.channels_last or memory_format == torch.channels_last_3d:
            return made.clone(memory_format=memory_format)
    if copy and x.dtype == dtype:
        return x.clone()
    return made


def to_other(x: Tensor, other: Tensor, non_blocking, copy, memory_format) -> Tensor:
    """Converted to the dtype of `other`; with `copy` always a new tensor."""
    return x.to(other.dtype, copy=copy, memory_format=memory_format)


def to_device(x: Tensor, device, dtype, non_blocking, copy, memory_format) -> Tensor:
    """The tensor on a device, converted to `dtype` where there is one.

    Args:
        self: Any tensor.
        device: ``cpu``, its name, or None.
        dtype: Its own if left out.
        non_blocking: Has no effect.
        copy: Whether it is a new tensor in any case; else it is `self` where nothing is to be converted.
        memory_format: Of a new tensor.

    Raises:
        RuntimeError: It is another device.

    Example:
        >>> x = tscript.tensor([1.5, 2.5])
        >>> x.to("cpu", tscript.int64)
        tensor([1, 2])
    """
    CHECK_DEVICE(device)
    return x.to(x.dtype if dtype is None else dtype, copy=copy, memory_format=memory_format)


def to_dtype_of(x: Tensor, dtype, device, non_blocking, copy, memory_format) -> Tensor:
    """As `to_device`."""
    CHECK_DEVICE(device)
    return x.to(x.dtype if dtype is None else dtype, copy=copy, memory_format=memory_format)


def in_float(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.float32, memory_format=memory_format)


def in_double(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.float64, memory_format=memory_format)


def in_half(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.float16, memory_format=memory_format)


def in_bfloat16(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.bfloat16, memory_format=memory_format)


def in_int(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.int32, memory_format=memory_format)


def in_long(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.int64, memory_format=memory_format)


def in_short(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.int16, memory_format=memory_format)


def in_char(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.int8, memory_format=memory_format)


def in_byte(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.uint8, memory_format=memory_format)


def in_bool(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.bool, memory_format=memory_format)


def in_cfloat(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.complex64, memory_format=memory_format)


def in_cdouble(x: Tensor, memory_format) -> Tensor:
    return x.to(torch.complex128, memory_format=memory_format)


def to_cpu(x: Tensor, memory_format) -> Tensor:
    """The tensor itself, which lies there."""
    if memory_format is not None:
        return x.to(x.dtype, memory_format=memory_format)
    return x


def to_cuda(x: Tensor, device, non_blocking, memory_format) -> Tensor:
    """Refused: there is no such device."""
    raise RuntimeError("there is no device 'cuda': tensors lie on the only device, 'cpu'")


def requires_grad_(x: Tensor, requires_grad) -> Tensor:
    """The tensor itself; no gradients are computed, so True is refused."""
    if requires_grad:
        raise RuntimeError("no gradients are computed: write requires_grad_(False), or leave it out")
    return x


def itself(x: Tensor) -> Tensor:
    """The tensor itself."""
    return x


def no_flag(x: Tensor) -> bool:
    """False for all tensors."""
    return False


def is_same_size(x: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same sizes."""
    return x.shape == other.shape


def is_signed(x: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return x.dtype.is_signed


def is_nonzero(x: Tensor) -> bool:
    """Whether the only element is not zero."""
    return bool(x)


def as_tensor(data: Tensor, dtype, device) -> Tensor:
    """The tensor on a device, converted to `dtype`; itself where nothing is to be converted.

    Args:
        data: A tensor. Of numbers and lists of numbers, and outside of scripts of arrays, it makes one, as ``tensor``
            does; an array shares its memory with it.
        dtype: Its own if left out.
        device: ``cpu``, its name, or None.

    Raises:
        RuntimeError: It is another device.

    Example:
        >>> tscript.as_tensor([1, 2], dtype=tscript.float32)
        tensor([1., 2.])
    """
    CHECK_DEVICE(device)
    return data if dtype is None else data.to(dtype)


def as_tensor_of(data, dtype, device) -> Tensor:
    """A tensor of numbers, or of nested lists or tuples of numbers, as ``tensor`` makes it."""
    CHECK_DEVICE(device)
    return torch.tensor(data, dtype=dtype)


def asarray_of(obj, dtype, device, copy, requires_grad) -> Tensor:
    """A tensor of numbers, or of nested lists or tuples of numbers, as ``tensor`` makes it."""
    CHECK_DEVICE(device)
    return torch.tensor(obj, dtype=dtype, requires_grad=requires_grad)


def new_tensor(x: Tensor, data, dtype) -> Tensor:
    """A tensor of numbers, or of nested lists or tuples of numbers, of the dtype of `self` unless `dtype` is given.

    Example:
        >>> tscript.ones(1, dtype=tscript.float64).new_tensor([1, 2])
        tensor([1., 2.], dtype=tscript.float64)
    """
    if dtype is None:
        return torch.tensor(data, dtype=x.dtype)
    return torch.tensor(data, dtype=dtype)


def is_tensor(obj) -> bool:
    """Whether a value is a tensor."""
    return isinstance(obj, Tensor)


def tensor_type(x: Tensor) -> str:
    """The name of PyTorch's class of tensors of the dtype: ``torch.FloatTensor``."""
    return f"torch.{SCALAR_TYPE(x)}Tensor"


def asarray(obj: Tensor, dtype, device, copy, requires_grad) -> Tensor:
    """As ``as_tensor``; with ``copy=True`` always a new tensor."""
    CHECK_DEVICE(device)
    if requires_grad:
        raise RuntimeError("no gradients are computed: leave out requires_grad=True")
    made = obj if dtype is None else obj.to(dtype)
    if copy is not None and copy:
        return obj.to(obj.dtype if dtype is None else dtype, copy=True)
    return made


def scalar_tensor(s, dtype) -> Tensor:
    """A tensor without dimensions, of float32 unless `dtype` says otherwise."""
    return torch.full((), s, dtype=torch.get_default_dtype() if dtype is None else dtype)


_TO = "bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None"


def _of_numbers(made: OpDef) -> OpDef:
    """The operator, which refuses strings."""
    rule = made.type_rule

    def checked(args: Sequence[Arg]) -> Type:
        if args[1].type in (STR, NONE):
            raise OperatorTypeError(f"a tensor is made of numbers in nested tuples or lists, not of {args[1].type}")
        return rule(args)

    return replace(made, type_rule=checked)


OPERATORS: tuple[OpDef, ...] = (
    LIES_AS,
    LAID_OUT,
    composite(
        "contiguous.format(Tensor self, *, memory_format memory_format) -> Tensor",
        contiguous_in,
        "Itself if it lies in a memory format, else a copy.",
        names="tscript.contiguous Tensor.contiguous",
    ),
    composite(f"to.dtype_copy(Tensor self, dtype dtype, {_TO}) -> Tensor", to_dtype, names="Tensor.to"),
    composite(f"to.other_copy(Tensor self, Tensor other, {_TO}) -> Tensor", to_other, names="Tensor.to"),
    composite(
        f"to.device(Tensor self, Device? device=None, dtype? dtype=None, {_TO}) -> Tensor", to_device, names="Tensor.to"
    ),
    *(
        composite(
            f"to_{name}.format(Tensor self, *, memory_format? memory_format) -> Tensor",
            body,
            f"Converted to {dtype}, in a memory format: the method ``{name}()``.",
            names=f"Tensor.{name}",
        )
        for name, dtype, body in (
            ("float", "float32", in_float),
            ("double", "float64", in_double),
            ("half", "float16", in_half),
            ("bfloat16", "bfloat16", in_bfloat16),
            ("int", "int32", in_int),
            ("long", "int64", in_long),
            ("short", "int16", in_short),
            ("char", "int8", in_char),
            ("byte", "uint8", in_byte),
            ("bool", "bool", in_bool),
            ("cfloat", "complex64", in_cfloat),
            ("cdouble", "complex128", in_cdouble),
        )
    ),
    composite("cpu(Tensor self, *, memory_format? memory_format=None) -> Tensor", to_cpu, names="Tensor.cpu"),
    composite(
        "cuda(Tensor self, Device? device=None, bool non_blocking=False, *, memory_format? memory_format=None) "
        "-> Tensor",
        to_cuda,
        names="Tensor.cuda",
    ),
    composite(
        "set_requires_grad(Tensor self, bool requires_grad=True) -> Tensor",
        requires_grad_,
        names="Tensor.requires_grad_",
    ),
    composite("detach_itself(Tensor self) -> Tensor", itself, names="torch.detach_ Tensor.detach_ out=no"),
    composite("is_inference(Tensor self) -> bool", no_flag, names="is_inference"),
    composite("is_pinned(Tensor self) -> bool", no_flag, names="Tensor.is_pinned"),
    composite("is_same_size(Tensor self, Tensor other) -> bool", is_same_size, names="is_same_size"),
    composite("is_signed(Tensor self) -> bool", is_signed, names="is_signed"),
    composite("is_nonzero(Tensor self) -> bool", is_nonzero, names="is_nonzero"),
    composite(
        "as_tensor(Tensor data, dtype? dtype=None, Device? device=None) -> Tensor",
        as_tensor,
        names="torch.as_tensor out=no",
    ),
    composite(
        "asarray(Tensor obj, *, dtype? dtype=None, Device? device=None, bool? copy=None, bool requires_grad=False) "
        "-> Tensor",
        asarray,
        names="torch.asarray out=no",
    ),
    composite(
        "as_tensor.data(Any data, dtype? dtype=None, Device? device=None) -> Tensor",
        as_tensor_of,
        names="torch.as_tensor out=no",
    ),
    composite(
        "asarray.data(Any obj, *, dtype? dtype=None, Device? device=None, bool? copy=None, bool requires_grad=False) "
        "-> Tensor",
        asarray_of,
        names="torch.asarray out=no",
    ),
    _of_numbers(
        composite(
            "new_tensor(Tensor self, Any data, *, dtype? dtype=None) -> Tensor",
            new_tensor,
            names="Tensor.new_tensor",
            tags=(FACTORY,),
        )
    ),
    composite("is_tensor(Any obj) -> bool", is_tensor, names="torch.is_tensor"),
    composite("type.name(Tensor self) -> str", tensor_type, names="Tensor.type"),
    composite(
        "scalar_tensor(Scalar s, *, dtype? dtype=None) -> Tensor",
        scalar_tensor,
        names="torch.scalar_tensor out=no",
        tags=(FACTORY,),
    ),
)
"""The operators of this module."""

HIDDEN: tuple[OpDef, ...] = (CHECK_DEVICE, DEVICE_OF_NAME)
"""What overload resolution adds to calls."""
