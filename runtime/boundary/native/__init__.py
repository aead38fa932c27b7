"""The native half of the boundary, in the low-level dialect; `module` names what one LLVM module is made of."""
