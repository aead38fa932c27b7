"""From syntax trees to IR: scopes, control flow, statements, expressions."""
