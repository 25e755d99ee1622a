"""Prints the URLs that advertools finds from some addresses on, as JSON."""

import json
import sys

from advertools import sitemap_to_df

found = []
for address in sys.argv[1:]:
    found += sitemap_to_df(address)["loc"].tolist()
print(json.dumps(found))
