"""Adapters to other engines, each about a page."""
