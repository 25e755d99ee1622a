"""Limits, names and words of the sitemap protocol (sitemaps.org/protocol.html), and extensions."""

import re
from typing import Literal, get_args

MAX_URLS = 50_000  # of a sitemap, and sitemaps of an index
MAX_BYTES = 52_428_800  # of a file, uncompressed
MAX_URL_LENGTH = 2_048  # characters; a URL must have fewer
MAX_IMAGES = 1_000  # of one URL, as Google reads them

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE_NAMESPACE = "http://www.google.com/schemas/sitemap-image/1.1"
XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml"
XSI_NAMESPACE = "http://www.w3.org/2001/XMLSchema-instance"

URLSET, SITEMAPINDEX = "urlset", "sitemapindex"  # the root elements
ENTRY_OF = {URLSET: "url", SITEMAPINDEX: "sitemap"}

ChangeFreq = Literal["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]
CHANGEFREQS: tuple[str, ...] = get_args(ChangeFreq)

X_DEFAULT = "x-default"
# A language of hreflang, as in BCP 47: de, zh-Hans, es-419, de-DE-1996; or x-default.
LANGUAGE = re.compile(r"x-default|[a-z]{2,8}(-[a-z0-9]{1,8})*", re.IGNORECASE | re.ASCII)
