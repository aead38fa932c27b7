"""The version of the package: the one place that states it, read by the build and importable by every layer."""

__version__ = "0.1.0"
