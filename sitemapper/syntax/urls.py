"""Paths to URLs: names of pages, percent-encoding, URL styles, the base URL and its scope. Pure."""

import re
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import NamedTuple, Self
from urllib.parse import SplitResult, quote, quote_from_bytes, unquote_to_bytes, urljoin, urlsplit

from ..errors import with_help
from ..protocol import MAX_URL_LENGTH

# RFC 3986 pchar and "/"; everything else in a name becomes %XX.
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
    """Normalises a base URL: `HTTPS://Example.com:443/a//b` → `https://example.com/a/b/`.

    The result ends with a slash, and its host is in lower-case ASCII. Raises ValueError, with a
    message for the user, if the text is no web URL, or has a query or a fragment.
    """
    parts = _split(text)
    if "?" in text or "#" in text:
        raise ValueError(with_help(f"{text!r} has a query or a fragment", "end it with the path"))
    path = without_dots(re.sub("//+", "/", encode_path(parts.path)))
    return f"{parts.scheme.lower()}://{_authority(parts)}{path.rstrip('/')}/"


def problem_of_base(base: str) -> str | None:
    """Says why a base URL is probably wrong, as the end of a sentence. None if nothing looks wrong.

    | base URL                          | result                |
    |-----------------------------------|-----------------------|
    | `http://localhost:8000/`          | `is this machine`     |
    | `https://a.example/index.html/`   | `ends in a file name` |
    | `https://a.example/`              | None                  |
    """
    if _LOCAL.match(base):
        return "is this machine"
    if _FILE_NAME_END.search(base):
        return "ends in a file name"
    return None


def is_placeholder(address: str) -> bool:
    """Whether an address only holds the place of a site's real one, as in a new project.

    It is one if it is an example (`https://example.com`, `https://yoursite.com`), this machine
    (`http://localhost`), or a file (`https://a.example/index.html`). False for a text that is no
    URL.
    """
    try:
        url = normalise_base(address)
    except ValueError:
        return False
    return bool(re.match(_EXAMPLE, url) or problem_of_base(url))


def is_preview(host: str) -> bool:
    """Whether a host name is that of a preview, such as the one that is built for a pull request.

    | example                                | service          |
    |----------------------------------------|------------------|
    | `deploy-preview-7--site.netlify.app`   | Netlify          |
    | `branch--site.netlify.app`             | Netlify          |
    | `site-git-branch-team.vercel.app`      | Vercel           |
    | `1a2b3c4d.site.pages.dev`              | Cloudflare Pages |
    | `site--7.org.readthedocs.build`        | Read the Docs    |
    """
    subdomain, _, domain = host.partition(".")
    return (
        subdomain.startswith("deploy-preview-")  # also below a domain of the site's own
        or ("--" in subdomain and domain == "netlify.app")
        or ("-git-" in subdomain and domain == "vercel.app")
        or (domain.endswith(".pages.dev") and re.fullmatch("[0-9a-f]{7,}", subdomain) is not None)
        or domain.endswith(".readthedocs.build")
    )


def folder_of_file(base: str) -> str | None:
    """Corrects a base URL that names a file: `https://a.example/index.html/` → `https://a.example/`.

    None for a base URL that names no file.
    """
    if not _FILE_NAME_END.search(base):
        return None
    return base.rstrip("/").rpartition("/")[0] + "/"


def _split(text: str) -> SplitResult:
    """Splits an absolute web URL into its scheme, host, path and other parts.

    Raises ValueError with a message for the user if the text is no such URL, or has a user name.
    """
    if text != text.strip() or re.search(r"[\s\\<>\"]", text):
        raise ValueError(f"{text!r} contains a space or a character that is not allowed in a URL")
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError for `:http` and `:99999`
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
    """The host of a URL in lower-case ASCII, and its port unless it is the default one.

    `https://Bücher.example:443` → `xn--bcher-kva.example`; `http://a.example:8000` →
    `a.example:8000`. Raises ValueError for a host name that is not valid.
    """
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        # Imported here: only hosts outside ASCII need the tables of UTS 46.
        import idna

        try:
            host = idna.encode(host, uts46=True).decode()
        except idna.IDNAError as error:
            raise ValueError(f"{host!r} is not a valid host name ({error})") from None
    if ":" in host:  # an IPv6 address
        host = f"[{host}]"
    elif not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", host) or ".." in host:
        raise ValueError(f"{host!r} is not a valid host name")
    default_port = _DEFAULT_PORTS.get(parts.scheme.lower())
    if parts.port is None or parts.port == default_port:
        return host
    return f"{host}:{parts.port}"


def encode_path(text: str, safe: str = SAFE) -> str:
    """Percent-encodes a URL path as in RFC 3986: `a b` → `a%20b`, `50%` → `50%25`.

    Escapes that are already in it are normalised: `%c3` → `%C3`, and `%41` → `A`, because a letter
    needs no escape.
    """
    escaped = _LONE_PERCENT.sub("%25", text)
    encoded = quote(escaped, safe=safe + "%", errors="surrogateescape")
    return _ESCAPE.sub(lambda escape: _CANONICAL[escape[0].upper()], encoded)


def without_dots(path: str) -> str:
    """Resolves `.` and `..` in a path (RFC 3986 §5.2.4): `/a/../b` → `/b`.

    Otherwise `/docs/../x` would pass for a path in the folder `/docs/` of a base URL. A path that
    does not begin with exactly one slash stays as it is.
    """
    is_absolute = path.startswith("/") and not path.startswith("//")
    if not is_absolute or _DOT_SEGMENT.search(path) is None:
        return path
    return urlsplit(urljoin("http://x", path)).path or "/"


def quoted(paths: Sequence[str]) -> Sequence[str]:
    """Percent-encodes the paths of files: `a b%20.html` → `a%20b%2520.html`.

    Unlike in `encode_path`, a `%` is a character of the file's name and no escape.
    """
    joined = "".join(paths)
    # Most paths need no escape. One check of all of them is much faster than one for each.
    if joined.isascii() and not joined.encode().translate(None, _PLAIN):
        return paths
    return [quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe=SAFE) for path in paths]


def resolve(reference: str, base: str) -> str | None:
    """Resolves a reference in a page to an absolute URL; None if it is no web URL.

    `../b#c` in `https://a.example/d/e/f` → `https://a.example/d/b`, and `mailto:a@b.example` →
    None. The result is normalised and has no fragment. Line breaks, tabs and backslashes are read
    as browsers read them (WHATWG URL).
    """
    # Most references need no normalising, and are resolved quickly.
    return _resolve_plain(reference, base) or _resolve_any(reference, base)


def _resolve_plain(reference: str, base: str) -> str | None:
    """Resolves a plain reference, in a tenth of the time that `_resolve_any` takes.

    None if the reference or the base needs normalising, as for `a b`, or if it leads above the
    root: then `_resolve_any` has to resolve it.

    Against `https://a.example/d/e/page`: `x/` → `https://a.example/d/e/x/`, `../x` →
    `https://a.example/d/x`, `/x` → `https://a.example/x`. A plain absolute URL is its own result.
    """
    match = _PLAIN_REFERENCE.fullmatch(reference)
    if match is None:
        return reference if _PLAIN_URL.fullmatch(reference) else None
    if not _PLAIN_URL.fullmatch(base):
        return None
    folders = base.split("/")[:-1]  # the first three are the scheme, nothing and the host
    beginning = match[1]  # "/", "", or "../" for each level up
    if beginning == "/":
        return "/".join(folders[:3]) + reference
    levels_up = len(beginning) // len("../")
    if len(folders) < 3 + levels_up:
        return None  # above the root
    folders_above = folders[: len(folders) - levels_up]
    name = reference[len(beginning) :]
    return "/".join([*folders_above, name])


def _resolve_any(reference: str, base: str) -> str | None:
    """Resolves any reference to a normalised absolute URL; None if it is not a web URL.

    In a page at `https://a.example/dir/page`:

        sub/x           → https://a.example/dir/sub/x
        \\x              → https://a.example/x
        //B.example/x   → https://b.example/x
        ///b.example/x  → https://b.example/x, as in browsers
    """
    # 1. Clean the reference as browsers do: no line breaks, slashes for backslashes in its path,
    # and two slashes before a host, however many are written.
    text = re.sub(r"[\t\r\n]", "", reference.strip())
    path_end = len(re.split("[?#]", text, maxsplit=1)[0])
    with_slashes = text[:path_end].replace("\\", "/") + text[path_end:]
    with_host = re.sub("^(https?:)?///+", r"\1//", with_slashes)
    # 2. Resolve it against the base, and normalise each part of the result.
    try:
        parts = urlsplit(urljoin(base, with_host))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        path = without_dots(encode_path(parts.path or "/"))
        query = "?" + encode_path(parts.query, SAFE + "?") if parts.query else ""
        return f"{parts.scheme}://{_authority(parts)}{path}{query}"
    except ValueError:
        return None


def web_origin(url: str) -> str:
    """The scheme, host and port of a web URL, normalised; "" for other texts.

    `HTTPS://Example.com:443/a` → `https://example.com`. "" also for a URL with a user name.
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
    origin = f"{scheme}://{parts.hostname}"
    if port is None or port == _DEFAULT_PORTS[scheme]:
        return origin
    return f"{origin}:{port}"


def comparison_key(url: str) -> str:
    """The key by which URLs are compared: two URLs with the same key count as the same page.

    It is the normalised URL without needless escapes in its path: `https://a.example/c%2B%2B` and
    `https://a.example/c++` both have the key `https://a.example/c++`. A query keeps its escapes,
    because they have a meaning there: `?q=%2B`.
    """
    if "%" not in url:
        return url
    path, question_mark, query = url.partition("?")
    unescaped = _NEEDLESS.sub(lambda escape: chr(int(escape[1], 16)), path)
    return unescaped + question_mark + query


def without_scheme(url: str) -> str:
    """A URL without its scheme: `https://example.com/a` → `example.com/a`. "" if it has none."""
    return url.partition("://")[2]


def without_www(url: str) -> str:
    """A URL without its scheme and `www.`: `https://www.example.com/a` → `example.com/a`.

    Most sites serve the same with and without both, so such URLs are compared without them.
    """
    return without_scheme(url).removeprefix("www.")


def relative_path(url: str, base: str) -> str | None:
    """The path of a URL relative to a base URL, decoded; "" for the base itself.

    With the base `https://a.example/`: `http://a.example/x%20y` → `x y`, because http and https
    count as the same. None for a URL that is not below the base, or that has a query.
    """
    url_after_scheme = without_scheme(url)
    base_after_scheme = without_scheme(base)
    if url_after_scheme + "/" == base_after_scheme:
        return ""
    if not url_after_scheme.startswith(base_after_scheme) or "?" in url_after_scheme:
        return None
    encoded_path = url_after_scheme[len(base_after_scheme) :]
    return unquote_to_bytes(encoded_path).decode("utf-8", "surrogateescape")


def moved_url(url: str, former_base: str, base: str) -> str:
    """Moves a URL from a former base URL of the site to the current one, and keeps the path.

    `https://ann.github.io/tea/a` → `https://tea.example/a`, where the host redirects it, too. A URL
    that is not below the former base stays as it is. So do all URLs if `former_base` is "".
    """
    if former_base and url.startswith(former_base):
        return base + url.removeprefix(former_base)
    return url


def folder_of(path: str, indexes: tuple[str, ...] = INDEXES) -> str | None:
    """The folder whose own page a file is: `a/index.html` → `a/`, and `index.html` → "".

    None for any other file: `a/b.html`. `indexes` are the names of such pages.
    """
    if not path.endswith(indexes):
        return None
    folder, slash, name = path.rpartition("/")
    return folder + slash if name in indexes else None


def is_page_name(path: str) -> bool:
    """Whether a file is called like an HTML page: `a.html`, but not `a.pdf` or `a.php`."""
    return path.lower().endswith(PAGE_ENDINGS)


def is_html(path: str) -> bool:
    """Whether servers show a file as HTML: `a.html`, `a.php`, and `a` without an ending."""
    return path.lower().endswith(_SERVED_AS_HTML) or "." not in path.rpartition("/")[2]


class UrlForms(NamedTuple):
    """The URL forms in which a server shows pages. The form to list comes first.

    A URL form is the path at which the server shows one of two example files. `folder` are the
    forms of the first, `a/index.html`: any of `a/`, `a`, `a/index.html`, `a/index` and `a/index/`.
    `page` are those of the second, `b.html`: any of `b.html`, `b` and `b/`.

    Some hosts differ in these cases:

    | field       | case                                                                          |
    |-------------|-------------------------------------------------------------------------------|
    | `clash`     | the forms for a page and a folder with the same name, such as `a.html` and    |
    |             | `a/index.html`; without forms of one of them, the host does not show it       |
    | `dotted`    | the forms for a name with a dot, such as `v1.2`                               |
    | `escaped`   | characters that the host redirects to their escapes                           |
    | `by_links`  | whether the links of the site choose among several forms, without canonicals  |
    """

    folder: tuple[str, ...]
    page: tuple[str, ...]
    clash: "UrlForms | None" = None
    dotted: "UrlForms | None" = None
    escaped: str = ""
    by_links: bool = False

    def paths(
        self, path: str, indexes: tuple[str, ...] = INDEXES, *, has_clash: bool = False
    ) -> tuple[str, ...]:
        """Returns the paths at which the server shows a file. The first one is the path to list.

        The URL form `a/` means that the server shows the file `a/index.html` at the path `a/`. The
        form `b` means that it shows `b.html` at `b`. With these two forms:

            tea/index.html    → tea/
            milk.html         → milk
            index.html        → "": the home page has no name
            milk.pdf          → milk.pdf: it is no page

        The paths are not percent-encoded. `indexes` are the names of a folder's own page.
        `has_clash` says that two files have this name, as tea.html and tea/index.html do. Some
        hosts show these in other forms.
        """
        folder = folder_of(path, indexes)
        if folder is not None:  # `tea/` for `tea/index.html`, and "" for the home page
            name = folder.removesuffix("/")
            forms = self._forms_for(name, has_clash=has_clash).folder
            without_ending = path.removesuffix(".html")
            path_by_form = {
                "a/": folder,
                "a": name,
                "a/index.html": path,
                "a/index": without_ending,
                "a/index/": f"{without_ending}/",
            }
        elif path.endswith(".html") and path.rpartition("/")[2] != ".html":
            name = path.removesuffix(".html")
            forms = self._forms_for(name, has_clash=has_clash).page
            path_by_form = {"b.html": path, "b": name, "b/": f"{name}/"}
        else:  # `milk.pdf`, and a file `.html`, whose name would be empty
            return (path,)
        return tuple(path_by_form[form] for form in forms)

    def _forms_for(self, name: str, *, has_clash: bool) -> "UrlForms":
        """Chooses the URL forms for `x.html` or `x/index.html`, whose `name` is `x`.

            both files exist (`has_clash`)        → `clash`
            a name with a dot: `docs/v1.2`        → `dotted`
            any other name                        → these forms

        A host without special forms for a case, whose `clash` or `dotted` is None, shows such files
        in the usual forms.
        """
        if has_clash and self.clash:
            return self.clash
        has_dot = "." in name.rpartition("/")[2]
        if has_dot and self.dotted:
            return self.dotted
        return self

    def combinations(self) -> list[Self]:
        """Lists each form of a folder with each form of a page, in order.

        The forms `a/` and `a` of folders, and `b` of pages → first `a/` and `b`, then `a` and `b`.
        """
        return [
            self._replace(folder=(of_folder,), page=(of_page,))
            for of_folder in self.folder
            for of_page in self.page
        ]

    def preferring(self, other: Self) -> Self:
        """Returns these forms with those of `other` first. The first form is the one to list.

        Pages as `b.html` or `b`, with `other` as `b` → `b`, `b.html`. The same for folders.
        """
        folder = dict.fromkeys((*other.folder, *self.folder))  # each once
        page = dict.fromkeys((*other.page, *self.page))
        return self._replace(folder=tuple(folder), page=tuple(page))


# All forms in which some server shows a page.
_ANY_SERVER = UrlForms(folder=("a/", "a/index.html", "a", "a/index"), page=("b.html", "b", "b/"))
STYLES = {
    "directory": UrlForms(folder=("a/",), page=("b.html",)),
    "clean": UrlForms(folder=("a/",), page=("b",)),
    "slash": UrlForms(folder=("a/",), page=("b/",)),
    "bare": UrlForms(folder=("a",), page=("b",)),
    "file": UrlForms(folder=("a/index.html",), page=("b.html",)),
}


def is_clash(path: str, other: str | None) -> bool:
    """Whether two files are a page and a folder of one name: `a.html` and `a/index.html`.

    They may come in either order. `other` is None without a second file.
    """
    if path == INDEXES[0]:  # the site's own folder has no name
        return False
    index = f"/{INDEXES[0]}"
    if path.endswith(index):
        return other == path.removesuffix(index) + ".html"
    return other == path.removesuffix(".html") + index


def _in_directory(path: str, indexes: tuple[str, ...]) -> str:
    """The path in the style `directory`: `a/index.html` → `a/`, `b.html` → `b.html`."""
    folder = folder_of(path, indexes)
    return path if folder is None else folder


class Locator(NamedTuple):
    """Maps the paths of files to absolute URLs in one style of URLs.

    With the base URL `https://a.example/` and the style `clean`: `x/b.html` →
    `https://a.example/x/b`.

    | field         | what it has                                                                |
    |---------------|----------------------------------------------------------------------------|
    | `base`        | the base URL                                                               |
    | `style`       | a key of `STYLES`, or the name of the host whose forms are in `forms`      |
    | `indexes`     | the names of files that have the URL of their folder                       |
    | `forms`       | the URL forms to list; None for those of the style                         |
    | `served`      | all URL forms in which the host shows pages; None for an unknown host      |
    | `former_base` | a base URL that the host redirects to this one, "" without one             |
    """

    base: str
    style: str
    indexes: tuple[str, ...] = INDEXES
    forms: UrlForms | None = None
    served: UrlForms | None = None
    former_base: str = ""

    def locs(self, paths: Sequence[str]) -> list[str]:
        """The URLs of some files, in the same order: `["x/b.html"]` → `["https://a.example/x/b"]`.

        `paths` are relative to the site's folder.
        """
        if self.style == "directory" and self.forms is None:
            # In this style, the most common one, every file but an index file is at its own path.
            # So most pages need no call.
            indexes = self.indexes
            served_paths = [_in_directory(p, indexes) if p.endswith(indexes) else p for p in paths]
        else:
            served_paths = [self.served_path(path) for path in paths]
        base = self.base
        encoded_paths = self.with_escapes(quoted(served_paths))  # with more escapes for some hosts
        return [base + path for path in encoded_paths]

    def loc(self, path: str) -> str:
        """The URL of one file."""
        return self.locs([path])[0]

    def encoded(self, served_path: str) -> str:
        """The URL of a path that already is in its URL form: `x/b` → `https://a.example/x/b`."""
        return self.base + self.with_escapes(quoted([served_path]))[0]

    def with_escapes(self, paths: Sequence[str]) -> Sequence[str]:
        """Escapes some more characters in percent-encoded paths, if the host redirects them so.

        Workers of Cloudflare redirect `/a+b` to `/a%2Bb`: `a+b` → `a%2Bb`. For other hosts, the
        paths stay as they are.
        """
        if not self.served or not self.served.escaped:
            return paths
        escapes = {ord(char): f"%{ord(char):02X}" for char in self.served.escaped}
        return [path.translate(escapes) for path in paths]

    def served_paths(self, path: str) -> tuple[str, ...]:
        """All paths at which any server might show a file, whatever host and style the site has.

        `a/index.html` → `a/`, `a/index.html`, `a`, `a/index`; `b.html` → `b.html`, `b`, `b/`.
        """
        return _ANY_SERVER.paths(path)

    def served_path(self, path: str) -> str:
        """The path to list for a file in this style, not encoded: `x/b.html` → `x/b`."""
        forms = self.forms or STYLES[self.style]
        return forms.paths(path, self.indexes)[0]

    def shown_paths(self, path: str, *, has_clash: bool) -> tuple[str, ...]:
        """Lists all paths at which the site's own host shows a file, not percent-encoded.

        A host that shows pages with and without `.html` shows `x.html` at `x.html` and at `x`. On
        an unknown host, the result is empty.

        With `has_clash`, the site has both `x.html` and `x/index.html`. Some hosts then show them
        at other paths.
        """
        forms_of_host = self.served
        if forms_of_host is None:
            return ()
        return forms_of_host.paths(path, self.indexes, has_clash=has_clash)

    def path_of(self, loc: str) -> str | None:
        """The decoded path of a URL below the base URL; None for other URLs."""
        return relative_path(loc, self.base)


def normalise_extra(text: str, base: str) -> str:
    """Normalises an extra URL, one that a user wants to list though no file of the site has it.

    It gets the scheme of the base and an ASCII host, and loses session IDs and the fragment. With
    the base `https://a.example/`: `http://A.example/b?sid=1&c=2#d` → `https://a.example/b?c=2`.

    Raises ValueError, with a message for the user, for a URL on another host or outside the folder
    of the base (sitemaps.org/protocol.html, "Sitemap file location").
    """
    # 1. The parts of the URL.
    parts = _split(text)
    # The default port of its own scheme is left out, so that http and https give the same URL.
    authority = _authority(parts)
    path = without_dots(encode_path(re.sub(_SESSION_PARAMETER, "", parts.path) or "/"))
    parameters = []
    for parameter in parts.query.split("&"):
        if parameter and parameter.partition("=")[0].lower() not in SESSION_IDS:
            parameters.append(parameter)
    query = "&".join(parameters)
    # 2. The URL, with the scheme of the base.
    loc = f"{base.partition(':')[0]}://{authority}{path}"
    if query:
        loc += f"?{encode_path(query, SAFE + '?')}"
    # 3. Whether a sitemap at the base URL may list it.
    if not loc.startswith(base):
        error = f"{loc} is outside {base}: a sitemap may only list URLs at or below its own folder"
        remedy = (
            "list it in a sitemap in its own folder or above, and that sitemap in its host's "
            "robots.txt"
        )
        raise ValueError(with_help(error, remedy))
    if len(loc) >= MAX_URL_LENGTH:
        raise ValueError(f"{loc[:60]}… has {len(loc)} characters; the protocol allows 2,047")
    return loc
