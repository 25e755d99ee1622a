"""Paths and URLs: percent-encoding, URL forms, the base URL. Pure."""

import re
from collections.abc import Container
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote_to_bytes, urljoin, urlsplit

from ..model import Form, OwnUrl, UrlForms

# RFC 3986 pchar and "/"; every other byte of a name becomes %XX.
SAFE = "/-._~!$&'()*+,;=:@"
FORMS: tuple[Form, ...] = ("slash", "bare", "file")
PAGE_ENDINGS = (".html", ".htm", ".xhtml")  # of what `include` lists by default
_NOT_SAFE = re.compile(rf"[^A-Za-z0-9{re.escape(SAFE)}]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PLAIN_URL = re.compile(rf"https?://[a-z0-9]+(?:[.-][a-z0-9]+)*/(?:{_SEGMENT}/)*(?:{_SEGMENT})?")
# This machine, RFC 2606 without `.example`, whose names are ordinary here, and starters' addresses.
_PLACEHOLDER = re.compile(
    r"""
    https?://
    (   127\.[\d.]+ | 0\.0\.0\.0 | \[::1?\]
    |   ([^/:]*\.)? ( localhost | example\.(com|net|org)
        | your-docusaurus-test-site\.com | yourdomain\.tld | yoursite\.com
        | gatsbystarterblogsource\.gatsbyjs\.io | replace-this-with-your-hugo-site\.com )
    ) [:/]
    """,
    re.VERBOSE,
)
_PREVIEW = re.compile(
    r"""
    https?://
    (   deploy-preview-[^/]*             # deploy-preview-7--site.netlify.app, or the site's domain
    |   [^./]*--[^./]*\.netlify\.app
    |   [^./]*-git-[^./]*\.vercel\.app   # site-git-branch-team.vercel.app
    |   [0-9a-f]{7,}\.[^/]*\.pages\.dev  # 1a2b3c4d.site.pages.dev
    |   [^/]+\.[^/]+\.readthedocs\.build # site--7.org.readthedocs.build
    ) /
    """,
    re.VERBOSE,
)
SESSION_IDS = "jsessionid|phpsessid|sid|sessionid|session_id|cfid|cftoken"  # a pattern
_DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(1 << 10)  # the canonicals of a site have few base URLs
def normalize_base(text: str) -> str:
    """Normalizes a base URL: `HTTPS://Example.com:443/a//b` → `https://example.com/a/b/`.

    Raises ValueError, with a sentence for the user, if the text is no absolute http or https URL,
    or has a query, a fragment or a user name.
    """
    parts = _split(text)
    if "?" in text or "#" in text:
        raise ValueError(f"{text!r} has a query or a fragment; end it with the path")
    path = re.sub("//+", "/", encode_path(parts.path))
    return f"{parts.scheme}://{_authority(parts)}{path.rstrip('/')}/"


def is_placeholder(url: str) -> bool:
    """Whether a URL is at this machine, or at an address such as example.com, which nobody owns."""
    return _PLACEHOLDER.match(url) is not None


def is_preview(url: str) -> bool:
    """Whether a URL is on a host of previews, such as deploy-preview-7--site.netlify.app."""
    return _PREVIEW.match(url) is not None


def _split(text: str) -> SplitResult:
    """Splits an absolute http or https URL into its parts.

    Raises ValueError, with a sentence for the user, for any other text.
    """
    if re.search(r"[\s\\<>\"]", text):
        raise ValueError(f"{text!r} contains a space or a character that is not allowed in a URL")
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError for `:http` and `:99999`
    except ValueError as error:
        raise ValueError(f"{text!r} is not a valid URL ({error})") from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        example = "write it in full, such as https://tea.example/"
        raise ValueError(f"{text!r} is not an absolute http or https URL; {example}")
    if "@" in parts.netloc:
        raise ValueError("contains a user name or a password; remove all between // and @")
    return parts


def _authority(parts: SplitResult) -> str:
    """Normalizes host and port: `Tée.example:443` of an https URL → `xn--te-bja.example`.

    The host becomes lower-case ASCII (UTS 46), and a default port is left out. Raises ValueError,
    with a sentence for the user, for a host that is not valid.
    """
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        import idna  # few hosts need its tables

        try:
            host = idna.encode(host, uts46=True).decode()
        except idna.IDNAError as error:
            raise ValueError(f"{host!r} is not a valid host name ({error})") from None
    if not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", host) or ".." in host:
        raise ValueError(f"{host!r} is not a valid host name")
    if parts.port in (None, _DEFAULT_PORTS[parts.scheme]):
        return host
    return f"{host}:{parts.port}"


def host_of(url: str) -> str:
    """The host of a URL with its port: `https://a.example:8000/b` → `a.example:8000`."""
    return url.partition("://")[2].partition("/")[0]


def origin_of(url: str) -> str:
    """The scheme and host of a normalized URL: `https://a.example/b/` → `https://a.example`."""
    return "/".join(url.split("/", 3)[:3])


def encode_path(text: str, safe: str = SAFE) -> str:
    """Percent-encodes the path of a URL: `a b` → `a%20b`, `50%` → `50%25`.

    Escapes that are in it get capital letters: `%c3` → `%C3`.
    """
    escaped = _LONE_PERCENT.sub("%25", text)
    encoded = quote(escaped, safe=safe + "%", errors="surrogateescape")
    return _ESCAPE.sub(lambda escape: escape[0].upper(), encoded)


def quote_path(path: str) -> str:
    """Percent-encodes the path of a file, in which `%` is no escape: `a b%20` → `a%20b%2520`."""
    if _NOT_SAFE.search(path) is None:
        return path
    return quote(path, safe=SAFE, errors="surrogateescape")


def resolve(reference: str, base: str) -> str | None:
    """Resolves a link in the page at `base` to a normalized, absolute URL without its fragment.

    `../b#c` in `https://a.example/d/e/f` → `https://a.example/d/b`. None for what is no http or
    https URL, such as `mailto:a@b.example`. Backslashes are slashes, as for browsers (WHATWG URL).
    """
    if _PLAIN_URL.fullmatch(reference):  # absolute and normalized already, as most are
        return reference
    try:
        parts = urlsplit(urljoin(base, reference.strip().replace("\\", "/")))
        if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            return None
        path = encode_path(parts.path or "/")
        query = "?" + encode_path(parts.query, SAFE + "?") if parts.query else ""
        return f"{parts.scheme}://{_authority(parts)}{path}{query}"
    except ValueError:
        return None


def comparison_key(url: str) -> str:
    """Returns a key to compare a normalized URL with others: equal keys mean the same page.

    `https://a.example/c%2B%2B` and `https://a.example/c++` have the same key, because the escapes
    in a path are written in one way. Those in a query stay, because they have a meaning there.
    """
    if "%" not in url:
        return url
    path, question_mark, query = url.partition("?")
    return quote(unquote_to_bytes(path), SAFE) + question_mark + query


def without_www(url: str) -> str:
    """A URL without scheme and `www.`: most sites serve the same with and without them."""
    return url.partition("://")[2].removeprefix("www.")


def path_below(url: str, base_url: str) -> str | None:
    """The decoded path of a URL below a base URL, "" for the base URL itself.

    `https://a.example/docs/b%20c` below `http://a.example/docs/` → `b c`: http and https may
    differ. None for a URL that is not below the base URL, or that has a query.
    """
    rest = url.partition("://")[2]
    base = base_url.partition("://")[2]
    if rest + "/" == base:  # the base URL without its final slash
        return ""
    if not rest.startswith(base) or "?" in rest:
        return None
    return unquote_to_bytes(rest[len(base) :]).decode("utf-8", "surrogateescape")


def is_folder_page(path: str) -> bool:
    """Whether a file is the page of its folder: `index.html` and `a/index.html`."""
    return path == "index.html" or path.endswith("/index.html")


def in_form(path: str, form: Form) -> str:
    """The path that a file has in the URLs of its site if they are in a certain form, not encoded.

    slash: `a/index.html` → `a/`, `b.html` → `b/`. bare: `a`, `b`. file: `a/index.html`, `b.html`.
    The home page is at "" unless the form is file. Other files, such as `c.pdf`, have no forms.
    """
    if form == "file":
        return path
    if is_folder_page(path):
        folder = path.removesuffix("index.html")
        return folder if form == "slash" else folder.removesuffix("/")
    name = path.removesuffix(".html")
    if name == path:
        return path
    return f"{name}/" if form == "slash" else name


def usual_path(path: str, forms: UrlForms) -> str:
    """The percent-encoded path that a file has in the URLs of a site with certain URL forms.

    With the forms `slash` and `bare`, `a b.html` → `a%20b`.
    """
    form = forms.folder if is_folder_page(path) else forms.page
    return quote_path(in_form(path, form))


def own_url(path: str, url: str) -> OwnUrl | None:
    """Splits a URL of the page at `path` into base URL and form; None for a URL of another page.

    The URL is normalized. `a/index.html` at `https://x.example/docs/a` →
    `OwnUrl("https://x.example/docs/", "bare")`.
    """
    if "?" in url:
        return None
    for form in FORMS:
        path_in_url = quote_path(in_form(path, form))
        if path_in_url and url.endswith(f"/{path_in_url}"):
            base_url = url.removesuffix(path_in_url)
            return OwnUrl(base_url, form)
    if path != "index.html":
        return None
    # The home page has no name in its URL, so any URL may be its own.
    return OwnUrl(url, "slash") if url.endswith("/") else OwnUrl(f"{url}/", "bare")


def page_at(url: str, base_url: str, paths: Container[str]) -> str | None:
    """Finds the page of a site that a URL may lead to, in any URL form; None if there is none.

    `paths` has the pages of the site at `base_url`. Below it, `b` is the file of this name,
    `b.html` or `b/index.html`, and `b/` is `b/index.html` or `b.html`. The first one that is there
    counts.
    """
    path = path_below(url.partition("?")[0], base_url)
    if path is None:
        return None
    stem = path.rstrip("/")
    candidates = [path, f"{stem}.html", f"{stem}/index.html"]
    if path.endswith("/"):
        candidates.reverse()
    if not stem:
        candidates = ["index.html"]
    return next((name for name in candidates if name in paths), None)
