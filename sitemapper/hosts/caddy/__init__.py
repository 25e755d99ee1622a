"""Caddy: a Caddyfile in the repository, read for what is plain. All else is unknown.

`text` reads the directives, and `sites` chooses the block of the site. `order` sorts them as Caddy
runs them, and `steps` runs them for a path. `verdict` tells what becomes of a page there.
"""

from .reading import READER

__all__ = ["READER"]
