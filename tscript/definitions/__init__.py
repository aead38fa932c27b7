"""What operators are defined with: schemas, type rules, promotion, overload resolution."""
