"""The operator vocabulary: one `OpDef` per operator, gathered in `tscript.ops.table`."""
