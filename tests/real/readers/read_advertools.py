"""Prints the URLs that advertools finds from an address on, as JSON."""

import json
import sys

from advertools import sitemap_to_df

print(json.dumps(sitemap_to_df(sys.argv[1])["loc"].tolist()))
