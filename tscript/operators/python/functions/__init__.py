"""The library that is written in the language: methods and functions of Python that are no operators of the IR.

The functions are source: the frontend compiles them into the programs that call them. Those without `generic` run as
plain Python too. Each has CPython's meaning, messages included; what does not fit 64 bits is an `OverflowError`. Where
only the way to a result may not fit, they compute modulo 2**64.
"""
