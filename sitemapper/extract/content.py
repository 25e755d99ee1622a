"""The main content of a page, its images and its titles; and a digest of its significant content.

Significant content is what readers come for: the title, the main text, link targets, image sources
and structured data. Header, navigation, footer, asides, scripts, styles and comments do not count.
Neither do parts that change with each build (white space, nonces, tokens, fingerprints in the names
of assets, dates of the build), and parts that all pages share (in the title, the name of the site
and its release).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..protocol import MAX_IMAGES
from ..syntax.source_text import words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

# Increase this with each change of the rule. Digests of another rule change no date
# (lastmod/ledger.py).
_VERSION = 3
_MAIN = "main, [role=main]"
# What surrounds the content: by tag, role, relation and by what people call it; and, where no part
# is marked as the main one, by what they call the same things there.
_TAGS = {"nav", "footer", "aside", "script", "style", "template", "noscript", "button"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search"}
_RELATIONS = {"next", "prev", "edit"}
_CLASSES = {"breadcrumb", "breadcrumbs", "pagination", "pager", "links-nextprev", "post-navigation"}
_CLASSES |= {"md-content__button"}  # Material for MkDocs: edit and view
_NAMES = {"header", "footer", "sidebar", "titlearea"}  # titlearea: Doxygen's project and release
_PLAIN_SURROUNDINGS = ", ".join([*sorted(_TAGS), "[role]", "a[rel]", "[hidden]"])
_SURROUNDINGS = ", ".join([_PLAIN_SURROUNDINGS, *(f".{n}" for n in sorted(_CLASSES))])
_ID_ENDS = (
    "header",
    "footer",
    "sidebar",
    "nav",
)  # of Haddock's package-header, Apache's page-header
# Within `:is`, lexbor looks for the attribute of an element once: a third less time.
_BODY_CLASSES = ", ".join(["[class*=nav]", *(f".{n}" for n in sorted(_CLASSES | _NAMES))])
_BODY_IDS = ", ".join([*(f"#{n}" for n in sorted(_NAMES)), *(f"[id$={n}]" for n in _ID_ENDS)])
_BODY_SURROUNDINGS = (
    f"{_PLAIN_SURROUNDINGS}, header, [class]:is({_BODY_CLASSES}), [id]:is({_BODY_IDS})"
)
_CONTENT = "h1, h2, h3, h4, h5, h6, article"  # which parts around the content never contain
_PLACES = ("div", "table", "ul", "section")  # headings have such names too
_REPOSITORY_PATHS = ("/blob/", "/edit/", "/raw/", "/tree/")
_REPOSITORY_LINKS = f"a[href]:is({', '.join(map('[href*={!r}]'.format, _REPOSITORY_PATHS))})"
_ABOUT_SOURCE = re.compile(r"\s*(?:edit|view|suggest)\b", re.IGNORECASE)
_TARGETS = "a[href], img[src], source, iframe[src], video[src], audio[src], time[datetime]"
# What separates a title from the name of the site, which is often last; and a release in the rest.
_PARTS = re.compile(r" (?:[-–—|·•»~/]|::) | \((?=[^()]*\)$)")
_RELEASE = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+~-]*")
_TITLE_PARTS = re.compile(r"\s[-–—|·•»«~/:]+\s|[|·•»:]\s*")
_SPACE = b" \t\n\r\f\v"
_BRAND = "header h1, header a, nav a"
_SITE_NAME = 'meta[property="og:site_name"]'
_LINKED_DATA = 'script[type="application/ld+json"]'
_BUILD_DATES = ("dateModified", "sdDatePublished")
_MEDIA = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "mp4", "webm", "mp3", "ogg"}
_ASSETS = _MEDIA | {"js", "mjs", "css", "map", "json", "wasm", "woff", "woff2", "ttf"}
# What bundlers put into names: hex digits with a letter among them; eight letters of base64url,
# which look like no word; Hugo's "_hu" and what follows; folders that are a hash.
_HEX = r"(?=\d{0,64}[a-f])(?=[a-f]{0,64}\d)[0-9a-f]"
_FINGERPRINT = re.compile(
    rf"[._-]{_HEX}{{6,64}}(?=\.)|[._-](?P<word>[\w-]{{8}})(?:_\w{{5,8}})?(?=\.)"
    rf"|_hu_?[0-9a-f]{{8,64}}(?:_\d{{1,12}})?|(?<=/){_HEX}{{16,64}}/"
)
# The lookahead and the bounds keep the search linear in names of any length.
_TOKEN = re.compile(r"[?&](?=\w++=)\w{0,64}?(?:token|nonce|csrf)\w*+=[^&]*", re.I)
# The release or commit at which a link shows a file of a repository.
_REF = re.compile(r"(?<=/(?:blob|tree)/)(?:v?\d++(?:\.\d++)++[\w.-]*+|[0-9a-f]{7,40})(?=/)")

# A URL of a `srcset`, which may contain commas but not end with one, and how large its image is.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class DigestRule(NamedTuple):
    """The definition of content:

    the selectors that the user drops, and a fingerprint of the rule.
    """

    drop: tuple[str, ...]
    fingerprint: str


class Outline(NamedTuple):
    """The data outside the main part:

    structured data, the title, and the site's name if it is known.
    """

    structured: tuple[str, ...]
    title: str
    site_name: str


def make_rule(drop: Iterable[str]) -> DigestRule:
    """The rule for a list of CSS selectors, which were validated with the settings."""
    selectors = tuple(drop)
    text = f"{_VERSION} {json.dumps(selectors)}"
    return DigestRule(selectors, hashlib.blake2b(text.encode(), digest_size=2).hexdigest())


def digest_bytes(data: bytes, rule: DigestRule) -> str:
    """The rule's fingerprint and 64 bits of the content's hash, as 4 and 16 hex digits."""
    return f"{rule.fingerprint}-{hashlib.blake2b(data, digest_size=8).hexdigest()}"


def digest_page(
    outline: Outline, main: LexborNode | None, rule: DigestRule
) -> tuple[str, tuple[int, ...]]:
    """The digest of a page, and the numbers of the selectors that removed something from its
    content.
    """
    dropped: list[int] = []
    text = "\n".join(_significant(outline, main, rule, dropped))
    # Templates and minifiers change white space.
    return digest_bytes(text.encode("utf-8", "surrogatepass").translate(None, _SPACE), rule), tuple(
        dropped
    )


def _significant(
    outline: Outline, main: LexborNode | None, rule: DigestRule, dropped: list[int]
) -> Iterator[str]:
    """The significant content of a page, normalised except for white space."""
    yield from outline.structured
    if main is None:
        yield _page_title(outline)
        return
    for n, selector in enumerate(
        rule.drop
    ):  # each alone, because an unclosed one would swallow the next
        nodes = main.css(selector)
        remove_nodes(main, nodes)
        dropped += [n] if nodes else []
    yield from _targets(main)
    heading = main.css_first("h1")
    text = _text(heading)
    # A title may be the heading and the site's name. A change of that name is not a change of the
    # page.
    before, match, after = outline.title.partition(text) if text else ("", "", "")
    is_beginning = not before and not after[:1].isalnum()
    is_end = not after and not before[-1:].isalnum()
    if not (match and (is_beginning or is_end)):
        yield _page_title(outline)
    if heading and _RELEASE.search(text):  # ExDoc and typedoc show the release beside the name
        yield _RELEASE.sub("", text)
        heading.decompose()
    yield main.text()


def read_outline(tree: LexborHTMLParser, data: bytes) -> Outline:
    """The data that the digest needs besides the main part. An SVG in the body has titles too."""
    scripts = tree.css(_LINKED_DATA) if b"ld+json" in data else []
    head = tree.head
    title = _text(head.css_first("title")) if head else ""
    meta = head.css_first(_SITE_NAME) if head else None
    name = meta.attributes.get("content") if meta else None
    is_whole = name is None and not _PARTS.search(title)
    brand = _text(tree.css_first(_BRAND)) if is_whole else name or ""
    return Outline(tuple(_structured(node.text()) for node in scripts), title, brand)


def read_titles(tree: LexborHTMLParser) -> tuple[str, ...]:
    """The titles that a page shows, in words:

    its headings, `og:title` and `<title>`, and parts of these.
    """
    meta = tree.css_first('meta[property="og:title"]')
    texts = [
        *(node.text() for node in tree.tags("h1")[:3]),
        (meta and meta.attributes.get("content")) or "",
    ]
    texts.append(_text(tree.css_first("head title")))
    parts: list[str] = []
    for text in texts:  # the whole, its beginnings and ends, and each part between separators
        cuts = [cut.span() for cut in _TITLE_PARTS.finditer(text)]
        parts += [text, *(text[:start] for start, _ in cuts), *(text[end:] for _, end in cuts)]
        parts += _TITLE_PARTS.split(text)
    return tuple(dict.fromkeys(filter(None, map(words, parts))))


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The main content of a page, without the parts that surround it."""
    marked = tree.css_first(_MAIN)
    main = marked or tree.body
    if main:
        nodes = main.css(_SURROUNDINGS if marked else _BODY_SURROUNDINGS)
        remove_nodes(main, _surrounding(main, nodes, marked is None))
        remove_nodes(main, [link for link in main.css(_REPOSITORY_LINKS) if _leads_to_source(link)])
    return main


def text_size(main: LexborNode) -> int:
    """The size of the text with one space between words.

    Splitting it would take as long as parsing.
    """
    text = main.text()
    for space in "\n\t\r\f\xa0":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return len(text.encode("utf-8", "replace"))


def _surrounding(main: LexborNode, nodes: Iterable[LexborNode], is_body: bool) -> list[LexborNode]:
    """The nodes that surround the content in a main part, or in a body without one."""
    found = [node for node in nodes if _surrounds(node, is_body)]
    has_header = any(node.tag == "header" for node in found)
    own = {node.mem_id for node in main.css("article header")} if has_header else ()
    return [node for node in found if node.mem_id not in own]


def remove_nodes(main: LexborNode, nodes: list[LexborNode]) -> None:
    """Removes nodes from the main part and frees them. They cannot be read after this.

    Goes backwards, because freeing a node frees the nodes in it. Handles each node once, because
    lexbor returns a node for each selector of a list that it matches.
    """
    once = {node.mem_id: node for node in nodes if node.mem_id != main.mem_id}
    for node in reversed(once.values()):
        node.decompose()


def _targets(main: LexborNode) -> Iterator[str]:
    """Link targets, sources and times.

    Removes texts such as "3 days ago", which are not content.
    """
    targets = [(node, node.attributes) for node in main.css(_TARGETS)]
    urls = [t.get("href") or t.get("src") or t.get("srcset") or "" for _, t in targets]
    yield "\n".join(map(_normalise_url, urls))
    for (node, target), url in zip(reversed(targets), reversed(urls), strict=True):
        if "datetime" in target:
            if "dateModified" not in (target.get("itemprop") or ""):
                yield target["datetime"] or ""
            node.decompose()
        elif url[:1] == "#" and not any(map(str.isalnum, node.text())):
            node.decompose()


def _page_title(outline: Outline) -> str:
    """The part of a title that belongs to the page, without the name of the site and a release.

    If the name is not known, it is the last of several parts.
    """
    parts = _PARTS.split(outline.title)
    own = [part for part in parts if part != outline.site_name]
    return _RELEASE.sub("", " ".join(own if len(own) < len(parts) else own[:-1] or own))


def _text(node: LexborNode | None) -> str:
    return " ".join(node.text().split()) if node else ""


def _leads_to_source(link: LexborNode) -> bool:
    href = link.attributes.get("href") or ""
    return any(path in href for path in _REPOSITORY_PATHS) and bool(
        _ABOUT_SOURCE.match(link.text())
    )


def _surrounds(node: LexborNode, is_body: bool) -> bool:
    """Whether a node surrounds the content by its tag, its attributes or, in a body, its name."""
    attributes = node.attributes
    if node.tag in _TAGS or "hidden" in attributes or attributes.get("role") in _ROLES:
        return True
    classes, own_id = attributes.get("class") or "", attributes.get("id") or ""
    relations, names = set((attributes.get("rel") or "").split()), set(classes.split())
    # As in the selectors above: of an element that one of these finds, any attribute counts.
    is_found = "role" in attributes or (node.tag == "a" and "rel" in attributes)
    is_found = is_found or (is_body and ("nav" in classes or own_id.endswith(_ID_ENDS)))
    if (is_found and not _RELATIONS.isdisjoint(relations)) or not _CLASSES.isdisjoint(names):
        return True
    if not (is_body or is_found):
        return False
    known = _NAMES | _CLASSES if is_found else _NAMES
    is_named = not known.isdisjoint({own_id, *names})
    return node.tag == "header" or is_named or (is_body and _is_named_so(node))


def _is_named_so(node: LexborNode) -> bool:
    """Whether a part of a name marks surroundings, and the node contains no heading."""
    if node.tag not in _PLACES:
        return False
    attributes = node.attributes
    last = re.split("[-_]", attributes.get("id") or "")[-1]
    is_nav = any(
        "nav" in re.split("[-_]", name) for name in (attributes.get("class") or "").split()
    )
    return (is_nav or last in _ID_ENDS) and not node.css_first(_CONTENT)


def _normalise_url(url: str) -> str:
    """A target without fragment, tokens and releases. Assets also lose fingerprints and queries."""
    if "#" in url:
        url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:
        url = _REF.sub("", url)
    if url.endswith(("/", ".html")):  # most targets need nothing else
        return url
    url = _TOKEN.sub("", url) if "?" in url else url
    path = url.partition("?")[0]
    if path.rpartition(".")[2].lower() not in _ASSETS:
        return url
    if "/_next/static/" in path:  # Turbopack's are of any 13 letters, digits, "_", "-" and "~"
        folder, _, file = path.rpartition("/")
        path = f"{folder}/{'.'.join(file.rsplit('.', 2)[::2])}"
    return _FINGERPRINT.sub(_unless_word, path)


def _unless_word(match: re.Match[str]) -> str:
    """The text, or "" for a fingerprint. `IMG_0001`, `version1` and `Homepage` are words."""
    word = match["word"]
    if not word:
        return ""
    has_both_cases = re.search("[a-z]", word) and re.search("[A-Z]", word)
    return "" if has_both_cases and len(re.findall("[A-Z]|[0-9]", word[1:])) > 1 else match[0]


def _structured(text: str) -> str:
    """JSON-LD in a normalised form, without dates that builds write."""
    try:
        return json.dumps(_undated(json.loads(text)), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _undated(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _undated(inner) for key, inner in value.items() if key not in _BUILD_DATES}
    if isinstance(value, list):
        return [_undated(inner) for inner in value]
    return _normalise_url(value) if isinstance(value, str) else value


def read_images(tree: LexborHTMLParser) -> tuple[str, ...]:
    """The images in the main content, each once, with their URLs as written."""
    best: dict[str, None] = {}
    for node in _content_images(tree):
        attributes = node.attributes
        sides = [
            (attributes.get(side) or "").strip().removesuffix("px") for side in ("width", "height")
        ]
        if not all(side in ("0", "1") for side in sides):  # these only count visits
            forms = (
                url for url in _candidates(node, attributes) if url and not _NO_FILE.match(url)
            )
            if url := next(forms, None):
                best[url] = None
    return tuple(islice(best, MAX_IMAGES))


def _content_images(tree: LexborHTMLParser) -> list[LexborNode]:
    """The `img` of the main content.

    Checks only the elements above them, in a third of the time.
    """
    marked = tree.css_first(_MAIN)
    main = marked or tree.body
    images = main.css("img") if main else []
    if main is None or not images:
        return []
    above: dict[int, LexborNode] = {}  # parents first
    for image in images:
        chain: list[LexborNode] = []
        node: LexborNode | None = image
        while node and node.mem_id != main.mem_id and node.mem_id not in above:
            chain.append(node)
            node = node.parent
        above |= {node.mem_id: node for node in reversed(chain)}
    outside = {node.mem_id for node in _surrounding(main, above.values(), marked is None)}
    for key, node in above.items():
        is_below = node.parent and node.parent.mem_id in outside
        if is_below or (node.tag == "a" and _leads_to_source(node)):
            outside.add(key)
    return [image for image in images if image.mem_id not in outside]


def _candidates(node: LexborNode, attributes: Attributes) -> Iterator[str]:
    """The forms of an image, the best first:

    of its `srcset`, its `src`, of the `picture` around it.
    """
    yield from _largest_first(attributes)
    yield (attributes.get("src") or "").strip()
    sources: list[LexborNode] = []
    before = node.prev if node.parent and node.parent.tag == "picture" else None
    while before and before.tag != "img":  # so that many images with many shared sources stay fast
        sources += [before] if before.tag == "source" else []
        before = before.prev
    for source in reversed(sources):
        yield from _largest_first(source.attributes)


def _largest_first(attributes: Attributes) -> list[str]:
    sizes = _CANDIDATE.findall(attributes.get("srcset") or "")
    return [url for url, _ in sorted(sizes, key=lambda pair: -float(pair[1] or 1))]
