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
    "github",
    "gitlab",
]
# Names of `host` before 1.0: servers whose configuration is not read, and what to do instead.
OWN_SERVERS = ("apache", "azure", "caddy", "iis", "nginx", "render", "serve", "surge")
SERVER_ADVICE = (
    'write host = "none"; set url_style and ignore to what the server does, and check the live '
    "site with `sitemapper verify`"
)
Index = Literal["auto", "always"]
Signal = Literal["noindex", "canonical", "refresh", "robots"]
Source = Literal["auto", "page", "published", "front_matter", "git", "ledger", "mtime"]
Style = Literal["auto", "directory", "clean", "slash", "bare", "file"]
# The values of `previous` that are neither a file nor a URL.
PREVIOUS = ("output", "live", "none")
