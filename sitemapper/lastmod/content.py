"""Bytes of a page to a digest of its significant content: what a reader came for, not what surrounds it.

Significant are the title, the main text, link targets, image sources and structured data. Header,
navigation, footer, asides, scripts, styles and comments are not; nor is what differs from build to
build: white space, nonces, tokens, fingerprints in the names of assets, dates of the build.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sitemapper.syntax.html import parsed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Count this up with each change of the rule: digests of another rule move no date (lastmod/ledger.py).
_VERSION = 1
_MAIN = "main, [role=main]"
# What surrounds the content: by tag, role, relation and by what people call it; and, where no part is
# marked as the main one, by what they call the same things there.
_TAGS = {"nav", "footer", "aside", "script", "style", "template", "noscript", "button"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search"}
_RELATIONS = {"next", "prev", "edit"}
_CLASSES = {"breadcrumb", "breadcrumbs", "pagination", "pager", "links-nextprev", "post-navigation"}
_CLASSES |= {"md-content__button"}  # Material for MkDocs: edit and view
_NAMES = {"header", "footer", "sidebar"}
_AROUND = ", ".join([*sorted(_TAGS), "[role]", "a[rel]", "[hidden]", *(f".{n}" for n in sorted(_CLASSES))])
_AROUND_BODY = ", ".join([_AROUND, "header", *(f".{n}, #{n}" for n in sorted(_NAMES))])
_TARGETS = "a[href], img[src], source, iframe[src], video[src], audio[src], time[datetime]"
_SPACE = b" \t\n\r\f\v"
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
_TOKEN = re.compile(r"[?&]\w*(?:token|nonce|csrf)\w*=[^&]*", re.I)


class Rule(NamedTuple):
    """What counts as content: the selectors of the user that never do, and a mark that names the rule."""

    drop: tuple[str, ...]
    mark: str


def rule(drop: Iterable[str]) -> Rule:
    """The rule for a list of CSS selectors. Raises ValueError for one that lexbor does not know."""
    selectors = tuple(drop)
    for selector in selectors:
        _check(selector)
    text = f"{_VERSION} {json.dumps(selectors)}"
    return Rule(selectors, hashlib.blake2b(text.encode(), digest_size=2).hexdigest())


def _check(selector: str) -> None:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        raise ValueError(f"{selector!r} is no CSS selector") from None


def digest(data: bytes, by: Rule, *, is_html: bool = True) -> str:
    """The mark of the rule and 64 bits of the content's hash, as 4 and 16 hex digits."""
    found = hashlib.blake2b(digest_size=8)
    if not is_html:
        found.update(data)
    else:
        text = "\n".join(significant(data, by))
        # Templates and minifiers add white space and take it away.
        found.update(text.encode("utf-8", "surrogatepass").translate(None, _SPACE))
    return f"{by.mark}-{found.hexdigest()}"


def significant(data: bytes, by: Rule) -> Iterator[str]:
    """The significant content of a page, normalised but for white space."""
    tree = parsed(data)
    if b"ld+json" in data:
        yield from (_structured(node.text()) for node in tree.css(_LINKED_DATA))
    title = tree.css_first("title")
    main = tree.css_first(_MAIN)
    around = _AROUND if main else _AROUND_BODY
    main = main or tree.body
    if main is None:
        yield title.text() if title else ""
        return
    # Backwards, because taking a node out destroys what is in it.
    found = main.css(around)
    own = (
        {node.mem_id for node in main.css("article header")} if any(n.tag == "header" for n in found) else ()
    )
    for node in reversed(found):
        if node.mem_id != main.mem_id and node.mem_id not in own and _surrounds(node):
            node.decompose()
    for selector in by.drop:  # each alone: joined, one that is not closed would swallow the next
        for node in reversed(main.css(selector)):
            if node.mem_id != main.mem_id:
                node.decompose()
    yield from _targets(main)
    heading = main.css_first("h1")
    if title and not (heading and _is_part(_words(heading), _words(title))):
        yield title.text()
    yield main.text()


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


def _words(node: LexborNode) -> str:
    return " ".join(node.text().split())


def _is_part(heading: str, title: str) -> bool:
    """Whether a title is the page's heading and the site's name, whose change is none of the page."""
    before, _, after = title.partition(heading) if heading else ("x", "", "x")
    return (not before and not after[:1].isalnum()) or (not after and not before[-1:].isalnum())


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
    """A target without fragment and tokens; that of an asset without fingerprints and query, too."""
    if "#" in url:
        url = url.partition("#")[0]
    if url.endswith(("/", ".html")):  # spares the rest for most
        return url
    url = _TOKEN.sub("", url) if "?" in url else url
    path = url.partition("?")[0]
    is_asset = path.rpartition(".")[2].lower() in _ASSETS
    return _FINGERPRINT.sub(_unless_word, path) if is_asset else url


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
