"""The ``tscript`` command: one file per verb, nothing heavy imported before a verb needs it."""
