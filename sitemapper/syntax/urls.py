"""Paths to URLs: percent-encoding, URL styles, base URL and scope. Text in, text out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, quote, quote_from_bytes, unquote_to_bytes, urljoin, urlsplit

# RFC 3986 pchar and "/"; everything else in a name becomes %XX (docs/PROTOCOL §6).
SAFE = "/-._~!$&'()*+,;=:@"
MAX_LENGTH = 2048
_PLAIN = bytes(b for b in range(128) if chr(b).isalnum() or chr(b) in SAFE)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def normalise_base(text: str) -> str:
    """The base URL with a final slash, its host lower-case ASCII; idempotent.

    Raises ValueError with a sentence for the user.
    """
    parts = _split(text)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{text!r} must be an absolute http or https URL, such as https://example.com/")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise ValueError(f"{text!r} must have no query and no fragment")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"{text!r} must hold no user name or password")
    path = _without_dots(encode_path(parts.path))
    return f"{parts.scheme.lower()}://{_authority(parts)}{path.rstrip('/')}/"


def _split(text: str) -> SplitResult:
    if text != text.strip() or re.search(r"[\s\\<>\"]", text):
        raise ValueError(f"{text!r} holds a space or a character that no URL can hold")
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"{text!r} is no URL ({error})") from None
    return parts


def _authority(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        # Imported here: only hosts outside ASCII need the tables of UTS 46.
        import idna

        try:
            host = idna.encode(host, uts46=True).decode()
        except idna.IDNAError as error:
            raise ValueError(f"{host!r} is no valid host name ({error})") from None
    if ":" in host:
        host = f"[{host}]"
    elif not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", host) or ".." in host:
        raise ValueError(f"{host!r} is no valid host name")
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    return host if parts.port in (None, default) else f"{host}:{parts.port}"


def encode_path(text: str) -> str:
    """A URL path as RFC 3986 has it: what is encoded stays so (in capitals), the rest is encoded."""
    return _escaped(text, SAFE)


def _without_dots(path: str) -> str:
    """The path without `.` and `..` segments (RFC 3986 §5.2.4), which would lead out of the scope."""
    return (
        urlsplit(urljoin("http://x", path)).path
        if path.startswith("/") and not path.startswith("//")
        else path
    )


def _escaped(text: str, safe: str) -> str:
    text = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)
    return _ESCAPE.sub(_canonical_escape, quote(text, safe=safe + "%", errors="surrogateescape"))


def _canonical_escape(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def quoted(paths: Sequence[str]) -> Sequence[str]:
    """Paths of files percent-encoded. One check clears the whole batch of characters to encode."""
    joined = "".join(paths)
    if joined.isascii() and not joined.encode().translate(None, _PLAIN):
        return paths
    return [quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe=SAFE) for path in paths]


def resolve(reference: str, base: str) -> str | None:
    """The absolute URL that a page names, without fragment, in one form; None if it is no web URL.

    Line breaks and tabs are dropped and backslashes turned, as browsers do (WHATWG URL).
    """
    text = re.sub(r"[\t\r\n]", "", reference.strip())
    end = next((n for n, char in enumerate(text) if char in "?#"), len(text))
    try:
        parts = urlsplit(urljoin(base, text[:end].replace("\\", "/") + text[end:]))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        path = _without_dots(encode_path(parts.path or "/"))
        query = "?" + _escaped(parts.query, SAFE + "?") if parts.query else ""
        return f"{parts.scheme}://{_authority(parts)}{path}{query}"
    except ValueError:
        return None


def below(url: str, base: str) -> str | None:
    """The decoded path below a base, http and https alike; None outside and where there is a query."""
    rest, place = url.partition("://")[2], base.partition("://")[2]
    if rest + "/" == place:
        return ""
    if not rest.startswith(place) or "?" in rest:
        return None
    return unquote_to_bytes(rest[len(place) :]).decode("utf-8", "surrogateescape")


class Locator(NamedTuple):
    """Maps site paths to absolute URLs in one style: directory, clean, slash or file."""

    base: str
    style: str

    def locs(self, paths: Sequence[str]) -> list[str]:
        """The URL of each path."""
        if self.style == "directory":  # spares a call a page in the commonest style
            forms = [self.form(p) if p.endswith("index.html") else p for p in paths]
        else:
            forms = [self.form(path) for path in paths]
        base = self.base
        return [base + form for form in quoted(forms)]

    def loc(self, path: str) -> str:
        """The URL of one path."""
        return self.locs([path])[0]

    def encoded(self, form: str) -> str:
        """The URL of a path that is already in some style."""
        return self.base + quoted([form])[0]

    def forms(self, path: str) -> tuple[str, ...]:
        """The paths under which a server may show the file, whatever the style."""
        stem = path.removesuffix(".html")
        if path.endswith("index.html") and path[-11:-10] in ("", "/"):
            return (path[:-10], path, path[:-11], stem)
        return (path, stem, stem + "/") if stem != path else (path,)

    def form(self, path: str) -> str:
        """The path as the style writes it, before encoding."""
        if self.style == "file":
            return path
        if path.endswith("index.html") and path[-11:-10] in ("", "/"):
            return path[:-10]
        if self.style == "directory" or not path.endswith(".html") or path.endswith("/.html"):
            return path
        return path[:-5] + ("/" if self.style == "slash" else "")

    def path_of(self, loc: str) -> str | None:
        """The decoded site path of a URL below the base, None for others."""
        return below(loc, self.base)


class Scope(NamedTuple):
    """What one sitemap may list: URLs of its host, at or below its folder (docs/PROTOCOL §0)."""

    base: str
    session_ids: tuple[str, ...]

    def normalise(self, text: str) -> str:
        """An extra URL in its one form: base scheme, ASCII host, no session ID, no fragment.

        Raises ValueError with a sentence for the user.
        """
        parts = _split(text)
        if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{text!r} must be an absolute http or https URL")
        if parts.username is not None or parts.password is not None:
            raise ValueError(f"{text!r} must hold no user name or password")
        scheme = self.base.partition(":")[0]
        # A default port is left out under its own scheme, so that both schemes give one form.
        path = _without_dots(encode_path(self._without_session(parts.path) or "/"))
        query = self._query(parts.query)
        loc = f"{scheme}://{_authority(parts)}{path}{'?' + query if query else ''}"
        if not loc.startswith(self.base):
            raise ValueError(
                f"{loc} is outside {self.base}: a sitemap may list only URLs of its own host, at or "
                "below its own folder; list it in a sitemap of that place and name both in robots.txt"
            )
        if len(loc) >= MAX_LENGTH:
            raise ValueError(f"{loc[:60]}… has {len(loc)} characters; the protocol allows 2,047")
        return loc

    def _without_session(self, path: str) -> str:
        names = "|".join(map(re.escape, self.session_ids))
        return re.sub(rf";(?:{names})=[^/;]*", "", path, flags=re.IGNORECASE) if names else path

    def _query(self, query: str) -> str:
        session = {name.lower() for name in self.session_ids}
        pairs = [p for p in query.split("&") if p and p.partition("=")[0].lower() not in session]
        return _escaped("&".join(pairs), SAFE + "?")
