"""What the host of a site does with its pages: URL forms, redirects, headers.

A new host is a row in table.py, with a reader in files.py if it has rules.
"""

from .find import find_host, published_folders

__all__ = ["find_host", "published_folders"]
