"""A site whose names a reader of its sitemap must decode, and rules for it."""

from __future__ import annotations

# file: its URL below the base
PAGES = {
    "index.html": "",
    "über uns.html": "%C3%BCber%20uns.html",
    "日本/index.html": "%E6%97%A5%E6%9C%AC/",
    "😀.html": "%F0%9F%98%80.html",
    "\udcff.html": "%FF.html",  # the byte FF, which is not UTF-8
    "a&b.html": "a&b.html",
    "it's.html": "it's.html",
    'a"b.html': "a%22b.html",
    "a<b>c.html": "a%3Cb%3Ec.html",
    "100%.html": "100%25.html",
    "%41.html": "%2541.html",
    "a#b.html": "a%23b.html",
    "what?.html": "what%3F.html",
    "a+b.html": "a+b.html",
    "a;b=c,d.html": "a;b=c,d.html",
    "a\\b.html": "a%5Cb.html",
    "a\tb\nc.html": "a%09b%0Ac.html",
    "[a]{b}|^`.html": "%5Ba%5D%7Bb%7D%7C%5E%60.html",
    "sub/~!$(a)*@:.html": "sub/~!$(a)*@:.html",
}
RULES = """
[[rules]]
match = ["*"]
changefreq = "weekly"
priority = 0.8
"""
