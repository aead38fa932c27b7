"""The operator vocabulary: one `OpDef` per operator, gathered in `tscript.operators.table`."""
