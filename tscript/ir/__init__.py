"""The intermediate representation and its tools: graph, builder, printer, parser, verifier, rewriter, interpreter."""
