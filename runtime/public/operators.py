"""The eager operators by the paths of modules: what ``tscript.linalg.norm`` means."""

from __future__ import annotations

from typing import Any

from tscript.runtime.session.process import current


def function_in(space: str, name: str) -> Any:
    """The operator that ``tscript.<space>.<name>`` means.

    Raises:
        AttributeError: There is none.
    """
    return current().eager.function_in(space, name)


def functions_of(space: str) -> list[str]:
    """The names of the operators in ``tscript.<space>``."""
    return current().eager.functions_of(space)


def return_type_named(name: str) -> type:
    """The class ``tscript.return_types.<name>``.

    Raises:
        AttributeError: There is none.
    """
    return current().eager.return_type(name)


def return_types() -> list[str]:
    """The names of those classes."""
    return current().eager.return_types()
