"""A runtime for MLServer: archives and models of TorchScript behind the Open Inference Protocol, over HTTP and gRPC.

It needs the package ``mlserver``: ``pip install 'tscript[mlserver]'``. Settings of a model name it and the
archive::

    {
      "name": "digits",
      "implementation": "tscript.integrations.mlserver.TscriptRuntime",
      "parameters": {"uri": "digits.tsa", "extra": {"function": "forward", "trust_native": true}}
    }

`function` is a function of the archive, or a method of its module by its path; it may be left out where there is only
one function, and is ``forward`` of modules. MLServer itself batches requests (``max_batch_size``, ``max_batch_time``)
whose inputs and outputs have one row for each request in front.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tscript.diagnostics import CompileError
from tscript.integrations.extras import needed
from tscript.runtime.session.process import current, from_numpy
from tscript.runtime.session.usage import log_api_usage_once
from tscript.travel.json_values import from_json, to_json
from tscript.types import BOOL, FLOAT, INT, STR, ListType, OptionalType, TensorType, Type

_SERVER = needed("mlserver", "mlserver", "mlserver")
_ERRORS = needed("mlserver.errors", "mlserver", "mlserver")
_TYPES = needed("mlserver.types", "mlserver", "mlserver")
_NUMPY = needed("mlserver.codecs", "mlserver", "mlserver").NumpyCodec
_UTILS = needed("mlserver.utils", "mlserver", "mlserver")

_DTYPES = {
    "BOOL": "bool", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "INT8": "int8",
    "INT16": "int16", "INT32": "int32", "INT64": "int64", "FP16": "float16", "FP32": "float32", "FP64": "float64",
}  # fmt: skip
"""The dtypes of NumPy for the names of the protocol."""

_PLAIN: dict[Type, str] = {INT: "INT64", FLOAT: "FP64", BOOL: "BOOL", STR: "BYTES"}
"""What the protocol calls values that are no tensors."""


class TscriptRuntime(_SERVER.MLModel):  # type: ignore[misc, name-defined]
    """A function of an archive, or a method of its module, as a model of MLServer.

    Inputs are parameters by name; if none of them has the name of a parameter, by position. Tensors are what
    `tscript.from_numpy` makes of the bytes of an input (``bytes_contents`` of gRPC) without copying them, or of the
    list that MLServer made of it. Numbers, strings and lists of them are parameters of these types. What else JSON can
    say, instances of the archive's classes, members of enums, dicts, is one string of JSON (``BYTES``). Results are
    outputs: ``output``, or ``output_0``, ``output_1`` … of tuples, or the keys of a dict, the fields of a named tuple;
    or what the settings of the model call them. An instance is its JSON as a string. A call runs in a thread, and
    native code lets others run.

    Errors: inputs that the function does not take, or that are not what they say, have status 400; what the program
    raises, 500, with its class and message.
    """

    async def load(self) -> bool:
        """See `mlserver.MLModel`: open the archive."""
        import tscript

        log_api_usage_once("tscript.integrations.mlserver")
        parameters = self.settings.parameters
        options = dict((parameters.extra if parameters else None) or {})
        path = await _UTILS.get_model_uri(self.settings)
        if not Path(path).is_file():
            raise _ERRORS.InvalidModelURI(self.name, path)
        loaded = tscript.load(path, trust_native=bool(options.get("trust_native", False)))  # a model.pt too
        self._function, self._own = _callee(loaded, options.get("function"))
        self._params = list(self._function.params[len(self._own) :])
        self._metadata = {str(k): str(v) for k, v in dict(getattr(loaded, "metadata", {}) or {}).items()}
        if not self.settings.inputs:
            self.inputs = [_described(p.name, p.type) for p in self._params]
        return True

    async def metadata(self) -> Any:
        """See `mlserver.MLModel`; the metadata of the archive are parameters."""
        found = await super().metadata()
        found.platform = found.platform or "tscript"
        if self._metadata:
            found.parameters = _TYPES.Parameters(**self._metadata)
        return found

    async def predict(self, payload: Any) -> Any:
        """See `mlserver.MLModel`: call the function with the inputs of a request."""
        args, kwargs = self._arguments(payload.inputs)
        try:
            self._function.bind([*self._own, *args], kwargs)
        except (TypeError, OverflowError) as error:
            raise _ERRORS.InferenceError(str(error)) from None
        result = await asyncio.to_thread(self._call, payload.id or "", args, kwargs)
        wanted = [output.name for output in payload.outputs or ()]
        outputs = [_encoded(name, value) for name, value in self._named(result) if not wanted or name in wanted]
        if missing := [name for name in wanted if name not in {o.name for o in outputs}]:
            raise _ERRORS.InferenceError(f"there is no output {', '.join(missing)}")
        return _TYPES.InferenceResponse(
            id=payload.id, model_name=self.name, model_version=self.version, outputs=outputs
        )

    def _call(self, request: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Run it; what callbacks see of it has the names of the model and the request as debug info."""
        import tscript

        try:
            with tscript.DebugInfoGuard("mlserver", {"model": self.name, "request": request}):
                return self._function(*self._own, *args, **kwargs)
        except CompileError as error:
            raise _ERRORS.InferenceError(str(error)) from None
        except Exception as error:
            raise _ERRORS.MLServerError(f"{type(error).__name__}: {error}", 500) from error

    def _arguments(self, inputs: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The values of inputs, by position and by name."""
        known = {p.name: p.type for p in self._params}
        if not any(given.name in known for given in inputs):
            if len(inputs) > len(self._params):
                raise _ERRORS.InferenceError(f"{len(inputs)} inputs, but there are {len(self._params)} parameters")
            pairs = zip(inputs, self._params, strict=False)
            return [_decoded(given, param.type) for given, param in pairs], {}
        unknown = [given.name for given in inputs if given.name not in known]
        if unknown:
            raise _ERRORS.InferenceError(f"there is no input {', '.join(unknown)}, only {', '.join(known)}")
        return [], {given.name: _decoded(given, known[given.name]) for given in inputs}

    def _named(self, result: Any) -> Iterator[tuple[str, Any]]:
        """The parts of a result with the names of their outputs."""
        names = [output.name for output in self.outputs or ()]
        if isinstance(result, dict):
            names, parts = names or [str(key) for key in result], list(result.values())
        elif hasattr(result, "_fields"):
            names, parts = names or list(result._fields), list(result)
        elif isinstance(result, tuple):
            names, parts = names or [f"output_{i}" for i in range(len(result))], list(result)
        else:
            names, parts = names or ["output"], [result]
        if len(names) != len(parts):
            raise _ERRORS.MLServerError(f"the settings name {len(names)} outputs, the function has {len(parts)}", 500)
        return zip(names, parts, strict=True)


def _callee(loaded: Any, name: str | None) -> tuple[Any, list[Any]]:
    """The scripted function of a name, and the module that it is a method of."""
    if not hasattr(loaded, "_modules"):
        return (loaded.entry(name), []) if hasattr(loaded, "entry") else (loaded, [])
    *above, method = (name or "forward").split(".")
    module = loaded.get_submodule(".".join(above)) if above else loaded
    return getattr(module, method).__func__, [module]


def _described(name: str, type: Type) -> Any:
    """What metadata say of a parameter; a tensor whose dtype is open is called FP32."""
    inner = type.element if isinstance(type, ListType) else type
    inner = inner.value if isinstance(inner, OptionalType) else inner
    datatype, shape = _PLAIN.get(inner, "FP32"), [1]
    if isinstance(type, ListType) or inner not in _PLAIN:
        shape = [-1]
    if _is_json(type):
        return _TYPES.MetadataTensor(name=name, datatype="BYTES", shape=[1])
    if isinstance(inner, TensorType):
        names = {dtype: name for name, dtype in _DTYPES.items()}
        dtype, rank = inner.facts.dtype, inner.facts.rank
        datatype = names.get(dtype.name, "FP32") if dtype is not None else "FP32"
        shape = [-1] * (rank if rank is not None else 1)
    return _TYPES.MetadataTensor(name=name, datatype=datatype, shape=shape)


def _is_json(type: Type) -> bool:
    """Whether values of a type are strings of JSON in the protocol."""
    inner = type.value if isinstance(type, OptionalType) else type
    element = inner.element if isinstance(inner, ListType) else inner
    return not isinstance(inner, TensorType) and element not in _PLAIN


def _decoded(given: Any, type: Type) -> Any:
    """The value of an input where a parameter has a type."""
    inner = type.value if isinstance(type, OptionalType) else type
    if given.parameters is not None and getattr(given.parameters, "content_type", None) == "none" and type is not inner:
        return None
    if inner == STR or inner == ListType(STR):
        texts = [_text(part) for part in getattr(given.data, "root", given.data)]
        if inner != STR:
            return texts
        if len(texts) == 1:
            return texts[0]
        raise _ERRORS.InferenceError(f"the input {given.name!r} has {len(texts)} strings, expected one")
    if _is_json(inner):
        texts = [_text(part) for part in getattr(given.data, "root", given.data)]
        try:
            return from_json(json.loads("".join(texts)), type, given.name)
        except (TypeError, ValueError, RecursionError) as error:
            raise _ERRORS.InferenceError(str(error) or f"the input {given.name!r} is nested too deeply") from None
    array = _array(given)
    if isinstance(inner, TensorType):
        return from_numpy(array)
    if inner in _PLAIN:
        if array.size != 1:
            raise _ERRORS.InferenceError(f"the input {given.name!r} has {array.size} elements, expected one {inner}")
        return array.item()
    return array.ravel().tolist()


def _text(part: Any) -> str:
    try:
        return part.decode() if isinstance(part, bytes) else str(part)
    except UnicodeDecodeError as error:
        raise _ERRORS.InferenceError(f"a string is not UTF-8: {error}") from None


def _array(given: Any) -> Any:
    """The elements of an input; of bytes they are where the bytes are, if these are one piece."""
    datatype = str(getattr(given.datatype, "value", given.datatype))
    if datatype not in _DTYPES:
        raise _ERRORS.InferenceError(f"the input {given.name!r} is {datatype}, expected one of {', '.join(_DTYPES)}")
    data, dtype = getattr(given.data, "root", given.data), np.dtype(_DTYPES[datatype])
    try:
        if isinstance(data, bytes):
            found = np.frombuffer(data, dtype)
        elif isinstance(data, list) and data and all(isinstance(part, bytes) for part in data):
            pieces = [np.frombuffer(part, dtype) for part in data]
            found = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        else:
            found = np.array(data, dtype)
        return found.reshape(given.shape)
    except (ValueError, TypeError, OverflowError) as error:
        raise _ERRORS.InferenceError(f"the input {given.name!r}: {error}") from None


def _encoded(name: str, value: Any) -> Any:
    """A part of a result as an output."""
    if isinstance(value, current().native.Tensor):
        if value.dtype.is_complex:
            raise _ERRORS.MLServerError(f"the output {name!r} is {value.dtype}, which the protocol does not have", 500)
        plain = value.detach()
        return _NUMPY.encode_output(name, (plain.float() if plain.dtype.name == "bfloat16" else plain).numpy())
    if isinstance(value, str) or (isinstance(value, list) and value and isinstance(value[0], str)):
        texts = [value] if isinstance(value, str) else value
        return _TYPES.ResponseOutput(name=name, datatype="BYTES", shape=[len(texts)], data=texts)
    if isinstance(value, bool | int | float | list) and (array := np.asarray(value)).dtype.kind in "bif":
        return _NUMPY.encode_output(name, np.atleast_1d(array))
    try:
        text = json.dumps(to_json(value), ensure_ascii=False)
    except TypeError as error:
        raise _ERRORS.MLServerError(f"the output {name!r}: {error}", 500) from None
    return _TYPES.ResponseOutput(name=name, datatype="BYTES", shape=[1], data=[text])


__all__ = ["TscriptRuntime"]
