"""What each page says, and what sitemaps list. The only room that opens pages."""

from .page import Options, links_of, wanted
from .read import Read, read

__all__ = ["Options", "Read", "links_of", "read", "wanted"]
