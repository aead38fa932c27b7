"""IR to machine code: lowering to LLVM text, the pass pipeline, targets, the object cache and the JIT session."""
