"""The errors that the frontend reports, a dataclass each."""
