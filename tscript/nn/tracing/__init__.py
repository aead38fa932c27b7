"""Tracing: a program is run once, and what it does to tensors becomes a scripted function or module."""
