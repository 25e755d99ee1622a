"""The walk of the site's folder. It reads directories, never contents."""

from .walk import path_key, scan

__all__ = ["path_key", "scan"]
