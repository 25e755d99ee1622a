"""Apache: the `.htaccess` of a folder applies to everything below it.

The rules are run as Apache runs them. What is not known is as if it were not there: `lines` are
read into `layers` by `reading`, and `server` answers requests by them.
"""

from .verdict import READER

__all__ = ["READER"]
