"""Paths to URLs: names of pages, percent-encoding, URL styles, the base URL and its scope. Pure."""

import re
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import NamedTuple, Self
from urllib.parse import SplitResult, quote, quote_from_bytes, unquote_to_bytes, urljoin, urlsplit

from ..errors import with_help
from ..protocol import MAX_URL_LENGTH

# RFC 3986 pchar and "/"; everything else in a name becomes %XX (docs/protocol.md §6).
SAFE = "/-._~!$&'()*+,;=:@"
# The names of a folder's own page, as for nginx and Apache. The first one that exists is shown.
INDEXES = ("index.html", "index.htm", "index.xhtml")
PAGE_ENDINGS = (".html", ".htm", ".xhtml")  # of what `include` lists by default
_SERVED_AS_HTML = (*PAGE_ENDINGS, ".shtml", ".php")
# Parameters that create a new URL of the same page for each visit.
SESSION_IDS = ("jsessionid", "phpsessid", "sid", "sessionid", "session_id", "cfid", "cftoken")
_PLAIN = bytes(b for b in range(128) if chr(b).isalnum() or chr(b) in SAFE)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DOT_SEGMENT = re.compile(r"/\.\.?(?:/|$)")
# Each escape in upper case, or the character if it is unreserved (RFC 3986 §6.2.2).
_CANONICAL = {f"%{byte:02X}": f"%{byte:02X}" for byte in range(256)}
_CANONICAL |= {f"%{ord(char):02X}": char for char in ascii_letters + digits + "-._~"}
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PLAIN_REFERENCE = re.compile(rf"(/|(?:\.\./)*)(?:{_SEGMENT}/)*{_SEGMENT}/?")
_PLAIN_URL = re.compile(rf"https?://[a-z0-9]+(?:[.-][a-z0-9]+)*/(?:{_SEGMENT}/)*(?:{_SEGMENT})?")
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?=/)")
_START = re.compile(r"\A(?:(https?):)?(/*)(.*)", re.IGNORECASE | re.DOTALL)
# Escapes of characters that a path may contain unescaped.
_NEEDLESS = re.compile(f"%({'|'.join(f'{ord(char):02X}' for char in SAFE if char != '/')})")
_LOCAL = re.compile(r"https?://(localhost|[^/:]*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])[:/]")
_FILE_NAME_END = re.compile(r"\.(x?html?|php|aspx?|xml|txt)/$", re.IGNORECASE)
# Compiled when they are used.
# The addresses of new projects: those of RFC 2606, and of starters of several generators.
_EXAMPLE = r"""(?x) https?://([^/]*\.)? (
    example\.(com|net|org)
    | your-docusaurus-test-site\.com
    | yourdomain\.tld | gatsbystarterblogsource\.gatsbyjs\.io
    | yoursite\.com
    | replace-this-with-your-hugo-site\.com
    ) [:/]"""
_SESSION_PARAMETER = rf"(?i);(?:{'|'.join(SESSION_IDS)})=[^/;]*"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def normalise_base(text: str) -> str:
    """The base URL with a final slash, its host lower-case ASCII; idempotent.

    Raises ValueError with a message for the user.
    """
    parts = _split(text)
    if "?" in text or "#" in text:
        raise ValueError(with_help(f"{text!r} has a query or a fragment", "end it with the path"))
    path = without_dots(re.sub("//+", "/", encode_path(parts.path)))
    return f"{parts.scheme.lower()}://{_authority(parts)}{path.rstrip('/')}/"


def suspicious_base(base: str) -> str | None:
    """Why a base URL is probably wrong. None if it is probably right."""
    if _LOCAL.match(base):
        return "is this machine"
    if _FILE_NAME_END.search(base):
        return "ends in a file name"
    return None


def is_placeholder(address: str) -> bool:
    """Whether an address is an example, this machine or a file: none that a site can have."""
    try:
        url = normalise_base(address)
    except ValueError:
        return False
    return bool(re.match(_EXAMPLE, url) or suspicious_base(url))


def is_preview(host: str) -> bool:
    """Whether a host name is that of a preview on Netlify, Cloudflare, Vercel or Read the Docs."""
    first, _, rest = host.partition(".")
    return (
        first.startswith("deploy-preview-")
        or ("--" in first and rest == "netlify.app")
        or ("-git-" in first and rest == "vercel.app")
        or (rest.endswith(".pages.dev") and re.fullmatch("[0-9a-f]{7,}", first) is not None)
        or rest.endswith(".readthedocs.build")
    )


def folder_of_file(base: str) -> str | None:
    """The folder of a base URL that ends in a file name: `https://a.example/b/index.html/` →
    `https://a.example/b/`. None for others.
    """
    if not _FILE_NAME_END.search(base):
        return None
    return base.rstrip("/").rpartition("/")[0] + "/"


def _split(text: str) -> SplitResult:
    """The parts of an absolute web URL. Raises ValueError with a message for the user."""
    if text != text.strip() or re.search(r"[\s\\<>\"]", text):
        raise ValueError(f"{text!r} contains a space or a character that is not allowed in a URL")
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError if it is not a number of a port
    except ValueError as error:
        raise ValueError(f"{text!r} is not a valid URL ({error})") from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        help = "write it in full, such as https://example.com/"
        raise ValueError(with_help(f"{text!r} is not an absolute http or https URL", help))
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            with_help("contains a user name or password", "remove everything between // and @")
        )
    return parts


def _authority(parts: SplitResult) -> str:
    """The host in lower-case ASCII, and the port unless it is the default of the scheme."""
    host = _ascii_host((parts.hostname or "").rstrip("."))
    if ":" in host:
        host = f"[{host}]"
    elif not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", host) or ".." in host:
        raise ValueError(f"{host!r} is not a valid host name")
    default = _DEFAULT_PORTS.get(parts.scheme.lower())
    if parts.port is None or parts.port == default:
        return host
    return f"{host}:{parts.port}"


def _ascii_host(host: str) -> str:
    """An international host name in its ASCII form (UTS 46). Raises ValueError."""
    if host.isascii():
        return host
    # Imported here: only hosts outside ASCII need the tables of UTS 46.
    import idna

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.InvalidCodepoint:
        # Browsers also accept symbols, such as ☃: each label is encoded as it is.
        labels = idna.uts46_remap(host, std3_rules=False).split(".")
        for number, label in enumerate(labels):
            if not label.isascii():
                labels[number] = f"xn--{label.encode('punycode').decode()}"
        return ".".join(labels)
    except idna.IDNAError as error:
        raise ValueError(f"{host!r} is not a valid host name ({error})") from None


def encode_path(text: str, safe: str = SAFE) -> str:
    """A URL path encoded as in RFC 3986: `a b` → `a%20b`, `50%` → `50%25`.

    Existing escapes become upper-case or unreserved characters: `%c3%41` → `%C3A`.
    """
    escaped = _LONE_PERCENT.sub("%25", text)
    encoded = quote(escaped, safe=safe + "%", errors="surrogateescape")
    return _ESCAPE.sub(lambda escape: _CANONICAL[escape[0].upper()], encoded)


def without_dots(path: str) -> str:
    """The path without `.` and `..` segments (RFC 3986 §5.2.4), which could leave the base URL."""
    is_absolute = path.startswith("/") and not path.startswith("//")
    if not is_absolute or _DOT_SEGMENT.search(path) is None:
        return path
    return urlsplit(urljoin("http://x", path)).path or "/"


def quoted(paths: Sequence[str]) -> Sequence[str]:
    """Percent-encodes the paths of files, with one check for the whole batch."""
    joined = "".join(paths)
    if joined.isascii() and not joined.encode().translate(None, _PLAIN):
        return paths
    return [quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe=SAFE) for path in paths]


def resolve(reference: str, base: str) -> str | None:
    """The normalised absolute URL of a reference, without fragment; None if it is not a web URL.

    Removes line breaks and tabs and turns backslashes into slashes, as browsers do (WHATWG URL).
    """
    return _plainly(reference, base) or _resolved(reference, base)


def _plainly(reference: str, base: str) -> str | None:
    """The result of `_resolved` in a tenth of the time; None if something needs normalising.

    Against `https://a.example/d/e/page`: `x/` → `https://a.example/d/e/x/`, `../x` →
    `https://a.example/d/x`, `/x` → `https://a.example/x`. A plain absolute URL is its own result.
    """
    match = _PLAIN_REFERENCE.fullmatch(reference)
    if match is None:
        return reference if _PLAIN_URL.fullmatch(reference) else None
    if not _PLAIN_URL.fullmatch(base):
        return None
    folders = base.split("/")[:-1]  # the first three are the scheme, nothing and the host
    beginning = match[1]
    if beginning == "/":
        return "/".join(folders[:3]) + reference
    levels_up = len(beginning) // len("../")
    if len(folders) < 3 + levels_up:
        return None
    folders_above = folders[: len(folders) - levels_up]
    name = reference[len(beginning) :]
    return "/".join([*folders_above, name])


def _resolved(reference: str, base: str) -> str | None:
    """The normalised URL of any reference, as browsers read it; None if it is not a web URL.

    In a page at `https://a.example/dir/page`:

        sub/x, https:sub/x            → https://a.example/dir/sub/x
        /x, https:/x                  → https://a.example/x
        //b.example/x, ///b.example/x → https://b.example/x
        http:b.example/x              → http://b.example/x
    """
    text = re.sub(r"[\t\r\n]", "", reference.strip())
    path_end = len(re.split("[?#]", text, maxsplit=1)[0])
    query_and_fragment = text[path_end:]
    # `_START` matches any text, so there is one match.
    [(written_scheme, slashes, after_slashes)] = _START.findall(text[:path_end].replace("\\", "/"))
    scheme = written_scheme.lower()
    # A host follows two or more slashes, or a scheme other than the base's, with any number of
    # them. What else follows is a path (WHATWG URL, "special authority slashes" states).
    is_other_scheme = scheme not in ("", base.partition(":")[0])
    if len(slashes) < 2 and not is_other_scheme:
        beginning = slashes
    elif scheme:
        beginning = f"{scheme}://"
    else:
        beginning = "//"
    try:
        parts = urlsplit(urljoin(base, beginning + after_slashes + query_and_fragment))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        path = without_dots(encode_path(parts.path or "/"))
        query = "?" + encode_path(parts.query, SAFE + "?") if parts.query else ""
        return f"{parts.scheme}://{_authority(parts)}{path}{query}"
    except ValueError:
        return None


def web_origin(url: str) -> str:
    """The normalised scheme, host and port of a web URL; "" for other texts.

    `HTTPS://Example.com:443/a` → `https://example.com`. A URL with a user name counts as none.
    """
    plain = _PLAIN_ORIGIN.match(url)
    if plain:  # nothing to normalise, so this takes a tenth of the time
        return plain[0]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    has_user = parts.username is not None
    if scheme not in _DEFAULT_PORTS or not parts.hostname or has_user:
        return ""
    if port is None or port == _DEFAULT_PORTS[scheme]:
        return f"{scheme}://{parts.hostname}"
    return f"{scheme}://{parts.hostname}:{port}"


def comparison_key(url: str) -> str:
    """A text that is equal for all spellings of a normalised URL, such as `c%2B%2B` and `c++`."""
    if "%" not in url:
        return url
    path, question_mark, query = url.partition("?")
    unescaped = _NEEDLESS.sub(lambda escape: chr(int(escape[1], 16)), path)
    return unescaped + question_mark + query


def without_scheme(url: str) -> str:
    """The host and the rest of a URL: `example.com/a` for https://example.com/a. "" for others."""
    return url.partition("://")[2]


def without_www(url: str) -> str:
    """A URL without its scheme and without `www.`, which most sites serve alike."""
    return without_scheme(url).removeprefix("www.")


def relative_path(url: str, base: str) -> str | None:
    """The decoded path of a URL below a base, http or https; None if it is outside or has a query.

    `http://a.example/x%20y` below `https://a.example/` → `x y`; the base itself → "".
    """
    url_after_scheme = without_scheme(url)
    base_after_scheme = without_scheme(base)
    if url_after_scheme + "/" == base_after_scheme:
        return ""
    if not url_after_scheme.startswith(base_after_scheme) or "?" in url_after_scheme:
        return None
    encoded_path = url_after_scheme[len(base_after_scheme) :]
    return unquote_to_bytes(encoded_path).decode("utf-8", "surrogateescape")


def folder_of(path: str, indexes: tuple[str, ...] = INDEXES) -> str | None:
    """The folder ("" or with a final slash) whose page a file is. None for other files.

    `a/index.html` → `a/`, `index.html` → "", `a/b.html` → None.
    """
    if not path.endswith(indexes):
        return None
    folder, slash, name = path.rpartition("/")
    return folder + slash if name in indexes else None


def is_page_name(path: str) -> bool:
    """Whether a file is named like a page, so that people expect it to be listed."""
    return path.lower().endswith(PAGE_ENDINGS)


def is_html(path: str) -> bool:
    """Whether a listed file contains HTML. Servers show a file without an ending as HTML too."""
    return path.lower().endswith(_SERVED_AS_HTML) or "." not in path.rpartition("/")[2]


class UrlForms(NamedTuple):
    """Where a server shows `a/index.html` and `b.html`. The form to list comes first.

    `folder` has any of `a/`, `a`, `a/index.html` and `a/index/`, `page` any of `b.html`, `b` and
    `b/`. `clash` are the forms of a page and a folder with the same name, separated by spaces, None
    if they do not differ. `dotted` are the forms if the last segment has a dot. `canonical` is a
    form of pages that counts only if the page itself names it. `escaped` are characters that a path
    may contain, but that the host redirects to their escapes. With `by_links`, links choose among
    several forms if canonicals do not.
    """

    folder: tuple[str, ...]
    page: tuple[str, ...]
    clash: tuple[str, str] | None = None
    dotted: tuple[str, str] | None = None
    canonical: str = ""
    escaped: str = ""
    by_links: bool = False

    def paths(
        self, path: str, indexes: tuple[str, ...] = INDEXES, *, has_twin: bool = False
    ) -> tuple[str, ...]:
        """The paths at which the file is shown, not encoded; the one to list comes first.

        With the forms `a/` and `b`: `x/index.html` → `x/`, and `y.html` → `y`. `has_twin` if a page
        and a folder have its name, such as `x.html` and `x/index.html`.
        """
        folder = folder_of(path, indexes)
        if folder is not None:
            stem = folder[:-1]
            forms = self._forms_of(stem, is_folder=True, has_twin=has_twin)
        elif path.endswith(".html") and not path.endswith("/.html") and path != ".html":
            stem = path.removesuffix(".html")
            forms = self._forms_of(stem, is_folder=False, has_twin=has_twin)
        else:
            return (path,)
        # What a form writes behind the stem, its first letter. Other forms are the file itself.
        path_by_ending = {
            "": stem,
            "/": f"{stem}/" if stem else "",
            "/index/": f"{path.removesuffix('.html')}/",
        }
        return tuple(path_by_ending.get(form[1:], path) for form in forms)

    def _forms_of(self, stem: str, *, is_folder: bool, has_twin: bool) -> Sequence[str]:
        """The forms for `stem.html`, or for the folder `stem`: a clash and a dot have their own."""
        if self.clash and has_twin:
            of_page, of_folder = self.clash
            return (of_folder if is_folder else of_page).split()
        if self.dotted and "." in stem.rpartition("/")[2]:
            of_folder, of_page = self.dotted
            return (of_folder if is_folder else of_page,)
        return self.folder if is_folder else self.page

    def combinations(self) -> list[Self]:
        """All choices of one form for folders and one for pages, in order."""
        return [
            self._replace(folder=(of_folder,), page=(of_page,))
            for of_folder in self.folder
            for of_page in self.page
        ]

    def preferring(self, other: Self) -> Self:
        """The same forms, with another's first."""
        folder = dict.fromkeys((*other.folder, *self.folder))
        page = dict.fromkeys((*other.page, *self.page))
        return self._replace(folder=tuple(folder), page=tuple(page))


STYLES = {
    "directory": UrlForms(("a/",), ("b.html",)),
    "clean": UrlForms(("a/",), ("b",)),
    "slash": UrlForms(("a/",), ("b/",)),
    "bare": UrlForms(("a",), ("b",)),
    "file": UrlForms(("a/index.html",), ("b.html",)),
}


def is_clash(path: str, twin: str | None) -> bool:
    """Whether a file and its twin are a page and the page of the folder with the same name.

    They are for `a.html` and `a/index.html`, in either order. The page of the root has no name, so
    it clashes with no other.
    """
    folder = folder_of(path, INDEXES[:1])
    if folder is None:
        stem_of_page = path.removesuffix(".html")
        return twin == f"{stem_of_page}/{INDEXES[0]}"
    stem_of_folder = folder.removesuffix("/")
    if not stem_of_folder:
        return False
    return twin == f"{stem_of_folder}.html"


def _in_directory(path: str, indexes: tuple[str, ...]) -> str:
    """The path in the style `directory`: an index file is shown at its folder."""
    folder = folder_of(path, indexes)
    return path if folder is None else folder


class Locator(NamedTuple):
    """Maps site paths to absolute URLs in one style: directory, clean, slash, bare or file.

    `indexes` are the names of files that have the URL of their folder. `forms` replace the forms of
    the style. `served` are all forms that a known host serves.
    """

    base: str
    style: str
    indexes: tuple[str, ...] = INDEXES
    forms: UrlForms | None = None
    served: UrlForms | None = None

    def locs(self, paths: Sequence[str]) -> list[str]:
        """The URL of each path."""
        if self.style == "directory" and self.forms is None:
            # Only index files change. This saves a call per page in the common style.
            indexes = self.indexes
            served_paths = [_in_directory(p, indexes) if p.endswith(indexes) else p for p in paths]
        else:
            served_paths = [self.served_path(path) for path in paths]
        base = self.base
        return [base + served_path for served_path in self._quoted(served_paths)]

    def loc(self, path: str) -> str:
        """The URL of one path."""
        return self.locs([path])[0]

    def encoded(self, served_path: str) -> str:
        """The URL of a path that is already in a style."""
        return self.base + self._quoted([served_path])[0]

    def _quoted(self, paths: Sequence[str]) -> Sequence[str]:
        """The paths percent-encoded, with the escapes to which a known host redirects."""
        return self._with_escapes(quoted(paths))

    def with_escapes(self, path: str) -> str:
        """A percent-encoded path, with the escapes to which a known host redirects."""
        return self._with_escapes([path])[0]

    def _with_escapes(self, paths: Sequence[str]) -> Sequence[str]:
        if not self.served or not self.served.escaped:
            return paths
        escapes = {ord(char): f"%{ord(char):02X}" for char in self.served.escaped}
        return [path.translate(escapes) for path in paths]

    def served_paths(self, path: str) -> tuple[str, ...]:
        """The paths at which a server may serve the file, in any style.

        `a/index.html` → `a/`, `a/index.html`, `a`, `a/index`; `b.html` → `b.html`, `b`, `b/`.
        """
        folder = folder_of(path)
        stem = path.removesuffix(".html")
        if not path.endswith(".html"):
            return (path,) if folder is None else (folder, path, folder[:-1])
        if folder is None:
            return (path, stem, stem + "/")
        return (folder, path, folder[:-1], stem)

    def served_path(self, path: str) -> str:
        """The path in this style, not encoded."""
        forms = self.forms or STYLES[self.style]
        return forms.paths(path, self.indexes)[0]

    def shown_paths(self, path: str, *, has_twin: bool) -> tuple[str, ...]:
        """The paths at which a known host shows a file. None if no host is known."""
        if self.served is None:
            return ()
        forms = self.served
        if forms.canonical:
            forms = forms._replace(page=(*forms.page, forms.canonical))
        return forms.paths(path, self.indexes, has_twin=has_twin)

    def path_of(self, loc: str) -> str | None:
        """The decoded site path of a URL below the base, None for other URLs."""
        return relative_path(loc, self.base)


def normalise_extra(text: str, base: str) -> str:
    """An extra URL, normalised: the scheme of the base, an ASCII host, no session ID, no fragment.

    Raises ValueError, with a message for the user, for a URL that a sitemap at the base may not
    list: on another host, or outside its folder (docs/protocol.md §0).
    """
    parts = _split(text)
    # The default port of its own scheme is left out, so that http and https give the same URL.
    authority = _authority(parts)
    path = without_dots(encode_path(re.sub(_SESSION_PARAMETER, "", parts.path) or "/"))
    parameters = []
    for parameter in parts.query.split("&"):
        if parameter and parameter.partition("=")[0].lower() not in SESSION_IDS:
            parameters.append(parameter)
    query = "&".join(parameters)
    loc = f"{base.partition(':')[0]}://{authority}{path}"
    if query:
        loc += f"?{encode_path(query, SAFE + '?')}"
    if not loc.startswith(base):
        what = f"{loc} is outside {base}: a sitemap may only list URLs at or below its own folder"
        remedy = "list it in a sitemap of its own host and folder, and name both in robots.txt"
        raise ValueError(with_help(what, remedy))
    if len(loc) >= MAX_URL_LENGTH:
        raise ValueError(f"{loc[:60]}… has {len(loc)} characters; the protocol allows 2,047")
    return loc
