"""What holds for the whole site: its base URL, its host and its URL forms, from all pages."""

from .site import settle

__all__ = ["settle"]
