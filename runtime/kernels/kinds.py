"""`TypeKind` and the flags of types as numbers, for kernels that read them at run time."""

from __future__ import annotations

from typing import Final

from tscript.abi import layout
from tscript.abi.exceptions import FIELDS
from tscript.abi.kinds import FIRST_HEAP_KIND, TypeKind

NONE: Final = int(TypeKind.NONE)
INT: Final = int(TypeKind.INT)
FLOAT: Final = int(TypeKind.FLOAT)
BOOL: Final = int(TypeKind.BOOL)
COMPLEX: Final = int(TypeKind.COMPLEX)
DTYPE: Final = int(TypeKind.DTYPE)
ENUM: Final = int(TypeKind.ENUM)
TUPLE: Final = int(TypeKind.TUPLE)
OPTIONAL: Final = int(TypeKind.OPTIONAL)
OBJECT: Final = int(TypeKind.OBJECT)
LATE: Final = int(TypeKind.LATE)
STR: Final = int(TypeKind.STR)
BYTES: Final = int(TypeKind.BYTES)
LIST: Final = int(TypeKind.LIST)
DICT: Final = int(TypeKind.DICT)
SET: Final = int(TypeKind.SET)
CLASS: Final = int(TypeKind.CLASS)
CALLABLE: Final = int(TypeKind.CALLABLE)
FUTURE: Final = int(TypeKind.FUTURE)
TENSOR: Final = int(TypeKind.TENSOR)
FIRST_HEAP: Final = int(FIRST_HEAP_KIND)

STR_BYTES: Final = layout.STR_STRUCT.size
LIST_BYTES: Final = layout.LIST_STRUCT.size
DICT_BYTES: Final = layout.DICT_STRUCT.size
OBJECT_BYTES: Final = layout.OBJECT_STRUCT.size
CALLABLE_BYTES: Final = layout.CALLABLE_STRUCT.size

DELETED: Final = layout.DELETED
"""The hash of a deleted entry of a dict."""
LIST_FROZEN: Final = layout.LIST_FROZEN
CLASS_EXCEPTION: Final = layout.CLASS_EXCEPTION
EXCEPTION_FIELDS: Final = len(FIELDS)
"""The fields of every exception; those of its class come after them."""
ENUM_VALUES: Final = layout.ENUM_VALUES
ENUM_PLAIN: Final = layout.ENUM_PLAIN
TENSOR_SIZE: Final = layout.TENSOR_SIZE
TENSOR_GENERATOR: Final = layout.TENSOR_GENERATOR
TENSOR_ARRAY: Final = layout.TENSOR_ARRAY
TENSOR_FACTS: Final = layout.TENSOR_FACTS
TENSOR_KNOWN: Final = layout.TENSOR_KNOWN
SCALAR_CODE: Final = layout.SCALAR_CODE
CLASS_EQ: Final = layout.CLASS_EQ
CLASS_FROZEN: Final = layout.CLASS_FROZEN
CLASS_REPR: Final = layout.CLASS_REPR
CLASS_OWN_KEYS: Final = layout.CLASS_OWN_KEYS
CLASS_OWN_EQ: Final = layout.CLASS_OWN_EQ
CLASS_MODULE: Final = layout.CLASS_MODULE
CLASS_ORDER: Final = layout.CLASS_ORDER
