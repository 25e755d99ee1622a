"""Prints the URLs that ultimate-sitemap-parser finds from some addresses on, as JSON."""

import json
import sys

from usp.fetch_parse import SitemapFetcher

found = []
for address in sys.argv[1:]:
    pages = SitemapFetcher(address, recursion_level=0).sitemap().all_pages()
    found += [page.url for page in pages]
print(json.dumps(found))
