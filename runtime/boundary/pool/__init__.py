"""The native half of the inter-op pool, in the low-level dialect; `module` names what one LLVM module is made of."""
