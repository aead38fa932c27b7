"""What LLVM text is written with: lines, constants, operands, instructions, the target."""
