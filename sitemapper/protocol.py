"""Limits, names and words of the sitemap protocol (sitemaps.org) and its extensions."""

import re
from typing import Literal, get_args

MAX_URLS = 50_000  # of a sitemap, and sitemaps of an index
MAX_BYTES = 52_428_800  # of a file, uncompressed
MAX_URL_LENGTH = 2_048  # characters; a URL must have fewer
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
MAX_IMAGES = 1_000  # of one URL, as Google reads them

ChangeFreq = Literal["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]
CHANGEFREQS: tuple[str, ...] = get_args(ChangeFreq)

# A language of hreflang, as in BCP 47: de, zh-Hans, es-419, de-DE-1996; or x-default.
LANGUAGE = re.compile(r"x-default|[a-z]{2,8}(-[a-z0-9]{1,8})*", re.IGNORECASE | re.ASCII)
# The forms of the sitemap beside XML: the key of `[sitemap]` that asks for it, and its ending.
FORMATS = {"text": ".txt"}
# In the first 512 bytes of each XML file that we write.
MARK = b"<!-- sitemapper wrote this file; its next run will replace it -->"
