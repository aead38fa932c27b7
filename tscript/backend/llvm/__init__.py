"""The parts of LLVM text: lines, constants, operands, instructions, the target."""
