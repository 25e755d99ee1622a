"""The version of the package. The build reads it from here."""

__version__ = "1.0.0rc1"
