"""The values that a setting may have, for the models and the flags. Imports no pydantic."""

from __future__ import annotations

from typing import Literal

Gzip = Literal["no", "also", "only"]
HostName = Literal["auto", "none", "cloudflare", "netlify", "vercel", "firebase", "azure", "apache"]
Index = Literal["auto", "always"]
Signal = Literal["noindex", "canonical", "refresh", "not_a_page", "robots"]
Source = Literal["auto", "page", "git", "ledger", "mtime"]
Style = Literal["auto", "directory", "clean", "slash", "bare", "file"]

# What the values of a key mean, for sitemapper.toml.example.
MEANINGS: dict[str, dict[str, str]] = {
    "url_style": {
        "auto": "what the host, canonicals or internal links prove, else `directory`",
        "directory": "`a/` and `b.html`",
        "clean": "`a/` and `b`",
        "slash": "`a/` and `b/`",
        "bare": "`a` and `b`",
        "file": "`a/index.html` and `b.html`",
    },
    "host": {
        "auto": "the host that runs this build, or whose settings are in the project",
        "none": "no host; the files of all hosts are ignored",
        "cloudflare": "`_redirects` and `_headers`, as Cloudflare Pages reads them",
        "netlify": "`_redirects`, `_headers` and `netlify.toml`",
        "vercel": "`vercel.json`",
        "firebase": "`firebase.json`",
        "azure": "`staticwebapp.config.json`",
        "apache": "`.htaccess` of every folder",
    },
    "lastmod": {
        "auto": "`git` in a repository, then `ledger` if there is one, then `mtime`",
        "page": "the date in the page itself",
        "git": "the last commit that changed the page's source",
        "ledger": "when the content of the page last changed",
        "mtime": "the time of the file",
    },
    "sitemap.gzip": {
        "no": "no compressed files",
        "also": "a `.xml.gz` beside each file",
        "only": "compressed sitemaps, which a plain index names",
    },
}
