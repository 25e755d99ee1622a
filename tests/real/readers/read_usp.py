"""Prints the URLs that ultimate-sitemap-parser finds from an address on, as JSON."""

import json
import sys

from usp.fetch_parse import SitemapFetcher

pages = SitemapFetcher(sys.argv[1], recursion_level=0).sitemap().all_pages()
print(json.dumps([page.url for page in pages]))
