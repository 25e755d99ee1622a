"""Files that are named like pages and are none, by their first bytes."""

import json
import re

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
# Copies of WordPress and Ghost have feeds in `feed/index.html`, and other XML for programs.
_XML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml .*?\?>|<\?xml-stylesheet .*?\?>|<!--.*?-->)*+"
    rb"<(?:rss|feed|rdf:rdf|rsd|oembed)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def kind_of(data: bytes) -> str | None:
    """Says what a file is if it is no page: "an empty file", "JSON"; None for a page."""
    if not data or data.isspace():
        return "an empty file"
    if _XML.match(data, 0, 4096):
        return "a feed or other XML"
    if _JSON.match(data):
        try:
            json.loads(data)
        except (ValueError, RecursionError):  # it only begins like JSON
            return None
        return "JSON"
    return None
