"""Bytes of a page to a digest of its significant content: what a reader came for, not what surrounds it.

Significant are the title, the main text, link targets, image sources and structured data. Header,
navigation, footer, asides, scripts, styles and comments are not; nor is what differs from build to
build: white space, nonces, tokens, fingerprints in the names of assets, dates of the build; nor what all
pages share: in the title the name of the site and its release.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..syntax.html import parsed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Count this up with each change of the rule: digests of another rule move no date (lastmod/ledger.py).
_VERSION = 2
_MAIN = "main, [role=main]"
# What surrounds the content: by tag, role, relation and by what people call it; and, where no part is
# marked as the main one, by what they call the same things there.
_TAGS = {"nav", "footer", "aside", "script", "style", "template", "noscript", "button"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search"}
_RELATIONS = {"next", "prev", "edit"}
_CLASSES = {"breadcrumb", "breadcrumbs", "pagination", "pager", "links-nextprev", "post-navigation"}
_CLASSES |= {"md-content__button"}  # Material for MkDocs: edit and view
_NAMES = {"header", "footer", "sidebar", "titlearea"}  # titlearea: Doxygen's project and release
_AROUND = ", ".join([*sorted(_TAGS), "[role]", "a[rel]", "[hidden]", *(f".{n}" for n in sorted(_CLASSES))])
_AROUND_BODY = ", ".join([_AROUND, "header", *(f".{n}, #{n}" for n in sorted(_NAMES))])
_TARGETS = "a[href], img[src], source, iframe[src], video[src], audio[src], time[datetime]"
# What parts a title from the name of the site, which often comes last; a release in what is left.
_PARTS = re.compile(r" (?:[-–—|·•»~/]|::) | \((?=[^()]*\)$)")
_RELEASE = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+~-]*")
_SPACE = b" \t\n\r\f\v"
_BRAND = "header h1, header a, nav a"
_SITE_NAME = 'meta[property="og:site_name"]'
_LINKED_DATA = 'script[type="application/ld+json"]'
_BUILD_DATES = ("dateModified", "sdDatePublished")
_MEDIA = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "mp4", "webm", "mp3", "ogg"}
_ASSETS = _MEDIA | {"js", "mjs", "css", "map", "json", "wasm", "woff", "woff2", "ttf"}
# What bundlers put into names: hex digits with a letter among them; eight letters of base64url, which
# look like no word; Hugo's "_hu" and what follows; folders that are a hash.
_HEX = r"(?=\d{0,64}[a-f])(?=[a-f]{0,64}\d)[0-9a-f]"
_FINGERPRINT = re.compile(
    rf"[._-]{_HEX}{{6,64}}(?=\.)|[._-](?P<word>[\w-]{{8}})(?:_\w{{5,8}})?(?=\.)"
    rf"|_hu_?[0-9a-f]{{8,64}}(?:_\d{{1,12}})?|(?<=/){_HEX}{{16,64}}/"
)
# The lookahead and the bounds keep the search linear in names of any length.
_TOKEN = re.compile(r"[?&](?=\w++=)\w{0,64}?(?:token|nonce|csrf)\w*+=[^&]*", re.I)
# The release or commit at which a link shows a file of a repository.
_REF = re.compile(r"(?<=/(?:blob|tree)/)(?:v?\d++(?:\.\d++)++[\w.-]*+|[0-9a-f]{7,40})(?=/)")


class DigestRule(NamedTuple):
    """What counts as content: the selectors of the user that never do, and a mark that names the rule."""

    drop: tuple[str, ...]
    mark: str


def rule(drop: Iterable[str]) -> DigestRule:
    """The rule for a list of CSS selectors, which the settings have checked."""
    selectors = tuple(drop)
    text = f"{_VERSION} {json.dumps(selectors)}"
    return DigestRule(selectors, hashlib.blake2b(text.encode(), digest_size=2).hexdigest())


def digest(data: bytes, by: DigestRule, *, is_html: bool = True, dropped: list[int] | None = None) -> str:
    """The mark of the rule and 64 bits of the content's hash, as 4 and 16 hex digits.

    Adds the numbers of the selectors that took something out to `dropped`.
    """
    found = hashlib.blake2b(digest_size=8)
    if not is_html:
        found.update(data)
    else:
        text = "\n".join(significant(data, by, [] if dropped is None else dropped))
        # Templates and minifiers add white space and take it away.
        found.update(text.encode("utf-8", "surrogatepass").translate(None, _SPACE))
    return f"{by.mark}-{found.hexdigest()}"


def significant(data: bytes, by: DigestRule, dropped: list[int]) -> Iterator[str]:
    """The significant content of a page, normalised but for white space."""
    tree = parsed(data)
    if b"ld+json" in data:
        yield from (_structured(node.text()) for node in tree.css(_LINKED_DATA))
    # All that may be taken out is read before. An SVG in the body has titles too.
    title, name = _title(tree)
    main = main_part(tree)
    if main is None:
        yield _own(title, name)
        return
    for n, selector in enumerate(by.drop):  # each alone: an unclosed one would swallow the next
        nodes = main.css(selector)
        take_out(main, nodes)
        dropped += [n] if nodes else []
    yield from _targets(main)
    if not _is_part(_words(main.css_first("h1")), title):
        yield _own(title, name)
    yield main.text()


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The main content of a page, from which what surrounds it is taken out."""
    main = tree.css_first(_MAIN)
    around = _AROUND if main else _AROUND_BODY
    main = main or tree.body
    if main:
        take_out(main, _surroundings(main, around))
    return main


def _surroundings(main: LexborNode, around: str) -> list[LexborNode]:
    found = main.css(around)
    own = set()
    if any(node.tag == "header" for node in found):
        own = {node.mem_id for node in main.css("article header")}
    return [node for node in found if node.mem_id not in own and _surrounds(node)]


def take_out(main: LexborNode, nodes: list[LexborNode]) -> None:
    """Takes nodes out of the main part, and frees them: nothing of them can be read after this.

    Backwards, because it frees what is inside them too, and each once: lexbor gives a node for each
    selector of a list that it matches.
    """
    once = {node.mem_id: node for node in nodes if node.mem_id != main.mem_id}
    for node in reversed(once.values()):
        node.decompose()


def _targets(main: LexborNode) -> Iterator[str]:
    """Targets of links, sources, moments; takes out what only looks like text: "3 days ago", "¶"."""
    found = [(node, node.attributes) for node in main.css(_TARGETS)]
    urls = [t.get("href") or t.get("src") or t.get("srcset") or "" for _, t in found]
    yield "\n".join(map(_plain, urls))
    for (node, target), url in zip(reversed(found), reversed(urls), strict=True):
        if "datetime" in target:
            if "dateModified" not in (target.get("itemprop") or ""):
                yield target["datetime"] or ""
            node.decompose()
        elif url[:1] == "#" and not any(map(str.isalnum, node.text())):
            node.decompose()


def _title(tree: LexborHTMLParser) -> tuple[str, str]:
    """The title of a page, and the name of the site as far as the page tells it."""
    head = tree.head
    title = _words(head.css_first("title")) if head else ""
    named = head.css_first(_SITE_NAME) if head else None
    name = named.attributes.get("content") if named else None
    is_whole = name is None and not _PARTS.search(title)
    return title, _words(tree.css_first(_BRAND)) if is_whole else name or ""


def _own(title: str, name: str) -> str:
    """What a title says of its page, without what all pages share: the name of the site, a release.

    Where the name is not known it is the last part of several.
    """
    parts = _PARTS.split(title)
    own = [part for part in parts if part != name]
    return _RELEASE.sub("", " ".join(own if len(own) < len(parts) else own[:-1] or own))


def _words(node: LexborNode | None) -> str:
    return " ".join(node.text().split()) if node else ""


def _is_part(heading: str, title: str) -> bool:
    """Whether a title is the page's heading and the site's name, whose change is none of the page."""
    before, found, after = title.partition(heading) if heading else ("", "", "")
    begins, ends = not before and not after[:1].isalnum(), not after and not before[-1:].isalnum()
    return bool(found) and (begins or ends)


def _surrounds(node: LexborNode) -> bool:
    """Whether a node that may surround the content does."""
    found = node.attributes
    relations, names = (set((found.get(key) or "").split()) for key in ("rel", "class"))
    return (
        node.tag in _TAGS
        or node.tag == "header"
        or "hidden" in found
        or found.get("role") in _ROLES
        or not _RELATIONS.isdisjoint(relations)
        or not (_NAMES | _CLASSES).isdisjoint({found.get("id"), *names})
    )


def _plain(url: str) -> str:
    """A target without fragment, tokens, releases; that of an asset without fingerprints and query, too."""
    if "#" in url:
        url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:
        url = _REF.sub("", url)
    if url.endswith(("/", ".html")):  # spares the rest for most
        return url
    url = _TOKEN.sub("", url) if "?" in url else url
    path = url.partition("?")[0]
    if path.rpartition(".")[2].lower() not in _ASSETS:
        return url
    if "/_next/static/" in path:  # Turbopack's are of any 13 letters, digits, "_", "-" and "~"
        folder, _, file = path.rpartition("/")
        path = f"{folder}/{'.'.join(file.rsplit('.', 2)[::2])}"
    return _FINGERPRINT.sub(_unless_word, path)


def _unless_word(found: re.Match[str]) -> str:
    """Nothing for a fingerprint. A word is no mixture: `IMG_0001`, `version1` and `Homepage` stay."""
    word = found["word"]
    mixed = word and re.search("[a-z]", word) and len(re.findall("[A-Z]|[0-9]", word[1:])) > 1
    return found[0] if word and not (mixed and re.search("[A-Z]", word)) else ""


def _structured(text: str) -> str:
    """JSON-LD in one form, without the dates that builds write into it."""
    try:
        return json.dumps(_undated(json.loads(text)), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _undated(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _undated(inner) for key, inner in value.items() if key not in _BUILD_DATES}
    if isinstance(value, list):
        return [_undated(inner) for inner in value]
    return _plain(value) if isinstance(value, str) else value
