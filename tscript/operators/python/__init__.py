"""Operators of Python's own values: scalars, strings, containers, objects, exceptions."""
