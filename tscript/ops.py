"""The users' namespaces of operators: ``tscript.ops.mylib.name`` is the operator ``mylib::name`` of this process."""
