"""The values that settings may have, for the models and the flags. Does not import pydantic."""

from typing import Literal

Gzip = Literal["no", "also", "only"]
HostName = Literal[
    "auto",
    "none",
    "cloudflare",
    "netlify",
    "vercel",
    "firebase",
    "azure",
    "apache",
    "caddy",
    "github",
    "gitlab",
    "iis",
    "nginx",
    "render",
    "serve",
    "surge",
]
Index = Literal["auto", "always"]
Signal = Literal["noindex", "canonical", "refresh", "not_a_page", "robots"]
Source = Literal["auto", "page", "published", "git", "ledger", "mtime"]
Style = Literal["auto", "directory", "clean", "slash", "bare", "file"]
# The values of `previous` that are neither a file nor a URL.
PREVIOUS = ("output", "live", "none")
