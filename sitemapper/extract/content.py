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
from .menus import find_menus

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

# Increase this with each change of the rule. Digests of another rule change no date
# (lastmod/ledger.py).
_VERSION = 5
_MAIN = "main, [role=main]"
# What surrounds the content: by tag, role, relation (`rel`) and class. In a page without a main
# part, these names count as well.
_TAGS = {"nav", "footer", "aside", "script", "style", "template", "noscript", "button"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"}
_RELATIONS = {"next", "prev", "edit"}
_CLASSES = {"breadcrumb", "breadcrumbs", "pagination", "pager", "links-nextprev", "post-navigation"}
_CLASSES |= {"md-content__button"}  # Material for MkDocs: edit and view
# Words of other classes: docs-sidebar, doc-toc-mobile, blogComments. The content may have such
# classes as well, which tell what is beside it: has-sidebar, or "content sidebar-right".
_PARTS_BY_CLASS = {"sidebar", "toc", "breadcrumb", "breadcrumbs", "pagination", "comments"}
_BESIDE = {"has", "with", "no", "without", "layout", "show", "hide"}
_CONTENT_WORDS = {"content", "main", "article", "body", "post", "entry"}
_CLASS_WORDS = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_LARGEST_PARTS = ("div", "ul", "ol", "table", "section", "details")
_NAMES = {"header", "footer", "sidebar", "titlearea"}  # titlearea: Doxygen's project and release
# The last words of names such as Haddock's package-header and Apache's page-header.
_ID_ENDS = ("header", "footer", "sidebar", "nav")
_CONTENT = "h1, h2, h3, h4, h5, h6, article"  # which parts around the content never contain
_PLACES = ("div", "table", "ul", "section")  # headings have such names too
_REPOSITORY_PATHS = ("/blob/", "/edit/", "/raw/", "/tree/")
_ABOUT_SOURCE = re.compile(r"\s*(?:edit|view|suggest)\b", re.IGNORECASE)
_TARGETS = "a[href], img[src], source, iframe[src], video[src], audio[src], time[datetime]"
# What separates a title from the name of the site, which is often last; and a release in the rest.
_PARTS = re.compile(r" (?:[-–—|·•»~/]|::) | \((?=[^()]*\)$)")
_RELEASE = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+~-]*")
_MAX_SEPARATORS = 16  # of a title; its beginnings and ends take the square of their number
_TITLE_PARTS = re.compile(r"\s[-–—|·•»«~/:]+\s|[|·•»:]\s*")
_SPACE = b" \t\n\r\f\v"
_BRAND = "header h1, header a, nav a"
_SITE_NAME = 'meta[property="og:site_name"]'
_LINKED_DATA = 'script[type="application/ld+json"]'
_BUILD_DATES = ("dateModified", "sdDatePublished")
_MEDIA = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "mp4", "webm", "mp3", "ogg"}
_ASSETS = _MEDIA | {"js", "mjs", "css", "map", "json", "wasm", "woff", "woff2", "ttf"}
# What bundlers put into names.
_HEX = r"(?=\d{0,64}[a-f])(?=[a-f]{0,64}\d)[0-9a-f]"  # with a digit and a letter among them
_FINGERPRINT = re.compile(
    rf"""
      [._-]{_HEX}{{6,64}}(?=\.)
    | [._-](?P<word>[\w-]{{8}})(?:_\w{{5,8}})?(?=\.)  # base64url, unless it looks like a word
    | _hu_?[0-9a-f]{{8,64}}(?:_\d{{1,12}})?  # Hugo's, and what follows
    | (?<=/){_HEX}{{16,64}}/  # a folder that is a hash
    """,
    re.VERBOSE,
)
# The lookahead and the bounds keep the search linear in names of any length.
_TOKEN = re.compile(r"[?&](?=\w++=)\w{0,64}?(?:token|nonce|csrf)\w*+=[^&]*", re.I)
# The release or commit at which a link shows a file of a repository.
_REF = re.compile(r"(?<=/(?:blob|tree)/)(?:v?\d++(?:\.\d++)++[\w.-]*+|[0-9a-f]{7,40})(?=/)")

# A URL of a `srcset`, which may contain commas but not end with one, and how large its image is.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:\s+(\d{1,9}(?:\.\d{1,9})?)[wx])?[^,]*")
_NO_FILE = re.compile(r"#|(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def _selectors(template: str, names: Iterable[str]) -> str:
    """A selector list: the template for each name, in alphabetical order."""
    return ", ".join(template.format(name) for name in sorted(names))


_PLAIN_SURROUNDINGS = f"{_selectors('{}', _TAGS)}, [role], a[rel], [hidden]"
_PARTS_OF_CLASSES = (
    "[class*=idebar], [class*=toc], [class*=Toc], [class*=TOC], [class*=readcrumb], "
    "[class*=agination], [class*=omments]"
)
# Within `:is`, lexbor looks for the attribute of an element once: a third less time.
_SURROUNDING_CLASSES = f"[class]:is({_selectors('.{}', _CLASSES)}, {_PARTS_OF_CLASSES})"
_SURROUNDINGS = f"{_PLAIN_SURROUNDINGS}, {_SURROUNDING_CLASSES}"
_BODY_CLASSES = (
    f"[class]:is([class*=nav], {_selectors('.{}', _CLASSES | _NAMES)}, {_PARTS_OF_CLASSES})"
)
_BODY_IDS = f"[id]:is({_selectors('#{}', _NAMES)}, {_selectors('[id$={}]', _ID_ENDS)})"
_BODY_SURROUNDINGS = f"{_PLAIN_SURROUNDINGS}, header, {_BODY_CLASSES}, {_BODY_IDS}"
_REPOSITORY_LINKS = f"a[href]:is({_selectors('[href*={!r}]', _REPOSITORY_PATHS)})"


class DigestRule(NamedTuple):
    """The definition of content.

    `drop` are the selectors that the user drops, `fingerprint` identifies the whole rule.
    """

    drop: tuple[str, ...]
    fingerprint: str


class Outline(NamedTuple):
    """What the digest needs from outside the main part.

    `site_name` is empty if it is not known.
    """

    structured: tuple[str, ...]
    title: str
    site_name: str


def make_rule(drop: Iterable[str]) -> DigestRule:
    """The rule for a list of CSS selectors, which were validated with the settings."""
    selectors = tuple(drop)
    text = f"{_VERSION} {json.dumps(selectors)}"
    fingerprint = hashlib.blake2b(text.encode(), digest_size=2).hexdigest()
    return DigestRule(selectors, fingerprint)


def digest_bytes(data: bytes, rule: DigestRule) -> str:
    """The rule's fingerprint and 64 bits of the content's hash, as 4 and 16 hex digits."""
    content_hash = hashlib.blake2b(data, digest_size=8).hexdigest()
    return f"{rule.fingerprint}-{content_hash}"


def digest_page(
    outline: Outline, main: LexborNode | None, rule: DigestRule
) -> tuple[str, tuple[int, ...]]:
    """The digest of a page, and the numbers of the selectors that removed content from it."""
    if main is None:
        return _digest_texts([*outline.structured, _page_title(outline)], rule), ()
    dropped = _drop(main, rule.drop)
    return _digest_texts([*outline.structured, *_significant(outline, main)], rule), dropped


def _digest_texts(texts: Iterable[str], rule: DigestRule) -> str:
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    # Templates and minifiers change white space.
    return digest_bytes(data.translate(None, _SPACE), rule)


def _drop(main: LexborNode, selectors: Iterable[str]) -> tuple[int, ...]:
    """Removes what the user drops. Returns the numbers of the selectors that found something."""
    dropped: list[int] = []
    # Each selector alone, because an unclosed one would swallow the next.
    for number, selector in enumerate(selectors):
        nodes = main.css(selector)
        remove_nodes(main, nodes)
        if nodes:
            dropped.append(number)
    return tuple(dropped)


def _significant(outline: Outline, main: LexborNode) -> Iterator[str]:
    """The title, the targets and the text of a main part, normalised except for white space."""
    yield from _targets(main)
    heading = main.css_first("h1")
    heading_text = _text(heading)
    if not _is_only_heading(outline.title, heading_text):
        yield _page_title(outline)
    if heading and _RELEASE.search(heading_text):
        # ExDoc and typedoc show the release beside the name.
        yield _RELEASE.sub("", heading_text)
        heading.decompose()
    yield main.text()


def _is_only_heading(title: str, heading: str) -> bool:
    """Whether a title is the heading, alone or with the name of the site before or after it.

    A change of that name is not a change of the page.
    """
    if not heading:
        return False
    before, match, after = title.partition(heading)
    if not match:
        return False
    is_beginning = not before and not after[:1].isalnum()
    is_end = not after and not before[-1:].isalnum()
    return is_beginning or is_end


def read_outline(tree: LexborHTMLParser, data: bytes) -> Outline:
    """What the digest of a page needs from outside its main part: structured data and the title.

    The name of the site is that of its `og:site_name`, or else of its brand, which is only looked
    for if the title does not contain the name as one of its parts.
    """
    scripts = tree.css(_LINKED_DATA) if b"ld+json" in data else []
    structured = tuple(_structured(script.text()) for script in scripts)
    title = ""
    site_name = None
    # Only in the head, because an SVG in the body has titles too.
    if tree.head:
        title = _text(tree.head.css_first("title"))
        site_name = _meta_content(tree.head.css_first(_SITE_NAME))
    if site_name is None and not _PARTS.search(title):
        site_name = _text(tree.css_first(_BRAND))
    return Outline(structured, title, site_name or "")


def read_titles(tree: LexborHTMLParser) -> tuple[str, ...]:
    """The titles that a page shows, in words: headings, `og:title`, `<title>`, and their parts."""
    titles = [heading.text() for heading in tree.tags("h1")[:3]]
    # By name, because this takes a fifth of the time of CSS selectors.
    metas = (meta.attributes for meta in tree.tags("meta"))
    og_titles = (meta.get("content") for meta in metas if meta.get("property") == "og:title")
    titles.append(next(og_titles, "") or "")
    titles.append(_text(_title_of_head(tree)))
    # Most titles of a page are the same, or parts of each other.
    parts: dict[str, None] = {}
    for title in dict.fromkeys(titles):
        parts |= dict.fromkeys(_title_parts(title))
    in_words = dict.fromkeys(map(words, parts))
    return tuple(part for part in in_words if part)


def _title_of_head(tree: LexborHTMLParser) -> LexborNode | None:
    """The `<title>` of a page. One in the body belongs to an SVG."""
    title = next(iter(tree.tags("title")), None)
    above = title.parent if title else None
    while above and above.tag != "head":
        above = above.parent
    return title if above else None


def _title_parts(title: str) -> Iterator[str]:
    """The whole title, its beginnings and ends, and each part between two separators."""
    separators = list(islice(_TITLE_PARTS.finditer(title), _MAX_SEPARATORS))
    yield title
    for separator in separators:
        yield title[: separator.start()]
    for separator in separators:
        yield title[separator.end() :]
    yield from _TITLE_PARTS.split(title)


def main_part(tree: LexborHTMLParser, path: str) -> LexborNode | None:
    """The main content of a page, without menus and the parts that surround it.

    `path` is that of the page in the site.
    """
    marked = tree.css_first(_MAIN)
    main = marked or tree.body
    if main is None:
        return None
    is_body = marked is None
    candidates = main.css(_BODY_SURROUNDINGS if is_body else _SURROUNDINGS)
    remove_nodes(main, _surrounding(main, candidates, is_body))
    remove_nodes(main, [link for link in main.css(_REPOSITORY_LINKS) if _leads_to_source(link)])
    remove_nodes(main, find_menus(main, path))
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


def most_size(tree: LexborHTMLParser) -> int:
    """The size of the main part with what surrounds the content in it, and with all white space.

    The main text is no longer, and finding it takes ten times as long.
    """
    main = tree.css_first(_MAIN) or tree.body
    return len(main.text().encode("utf-8", "replace")) if main else 0


def _surrounding(main: LexborNode, nodes: Iterable[LexborNode], is_body: bool) -> list[LexborNode]:
    """The nodes that surround the content in a main part, or in a body without one."""
    found = [node for node in nodes if _surrounds(node, is_body)]
    if not any(node.tag == "header" for node in found):
        return found
    # The header of an article is content.
    of_articles = {node.mem_id for node in main.css("article header")}
    return [node for node in found if node.mem_id not in of_articles]


def remove_nodes(main: LexborNode, nodes: list[LexborNode]) -> None:
    """Removes nodes from the main part and frees them. They cannot be read after this.

    Goes backwards, because freeing a node frees the nodes in it. Handles each node once, because
    lexbor returns a node for each selector of a list that it matches.
    """
    once = {node.mem_id: node for node in nodes if node.mem_id != main.mem_id}
    for node in reversed(once.values()):
        node.decompose()


def _targets(main: LexborNode) -> Iterator[str]:
    """The content that is in attributes: the URLs of links and images, then the times.

    Removes two kinds of elements from the tree, because their texts are not content: times ("3 days
    ago"), and links to an anchor whose text is only a sign ("#", "¶"). A time that is marked as
    that of the last change is no content either.
    """
    nodes = main.css(_TARGETS)
    attributes = [node.attributes for node in nodes]
    urls = [a.get("href") or a.get("src") or a.get("srcset") or "" for a in attributes]
    yield "\n".join(map(_normalise_url, urls))
    # Backwards, because freeing a node frees the nodes in it.
    backwards = zip(reversed(nodes), reversed(attributes), reversed(urls), strict=True)
    for node, own_attributes, url in backwards:
        if "datetime" in own_attributes:
            if "dateModified" not in (own_attributes.get("itemprop") or ""):
                yield own_attributes["datetime"] or ""
            node.decompose()
        elif url[:1] == "#" and not any(map(str.isalnum, node.text())):
            node.decompose()


def _page_title(outline: Outline) -> str:
    """The part of a title that belongs to the page, without the name of the site and a release.

    If the name is not known, it is the last of several parts.
    """
    parts = _PARTS.split(outline.title)
    own = [part for part in parts if part != outline.site_name]
    is_name_known = len(own) < len(parts)
    if not is_name_known and len(parts) > 1:
        own.pop()
    return _RELEASE.sub("", " ".join(own))


def _text(node: LexborNode | None) -> str:
    return " ".join(node.text().split()) if node else ""


def _meta_content(meta: LexborNode | None) -> str | None:
    return meta.attributes.get("content") if meta else None


def _leads_to_source(link: LexborNode) -> bool:
    """Whether a link shows or edits the source of the page in a repository."""
    href = link.attributes.get("href") or ""
    if not any(path in href for path in _REPOSITORY_PATHS):
        return False
    return _ABOUT_SOURCE.match(link.text()) is not None


def _surrounds(node: LexborNode, is_body: bool) -> bool:
    """Whether a node surrounds the content by its tag, its attributes or, in a body, its name."""
    attributes = node.attributes
    if node.tag in _TAGS or "hidden" in attributes:
        return True
    if attributes.get("role") in _ROLES:
        return True
    classes = attributes.get("class") or ""
    class_names = set(classes.split())
    if not class_names.isdisjoint(_CLASSES) or _is_part_by_class(node, class_names):
        return True
    own_id = attributes.get("id") or ""
    any_attribute_counts = _is_found_by_attribute(node, is_body)
    if any_attribute_counts:
        relations = (attributes.get("rel") or "").split()
        if own_id in _CLASSES or not _RELATIONS.isdisjoint(relations):
            return True
    elif not is_body:
        return False  # in a head, classes and names say nothing about the content
    if node.tag == "header" or own_id in _NAMES or not class_names.isdisjoint(_NAMES):
        return True
    return is_body and _is_named_like_surroundings(node, classes, own_id)


def _is_part_by_class(node: LexborNode, class_names: Iterable[str]) -> bool:
    """Whether a word of a class marks a sidebar, a table of contents or comments.

    A part that contains the heading of the page, or an article, is none of these.
    """
    if node.tag not in _LARGEST_PARTS:
        return False
    is_part = False
    for name in class_names:
        name_words = {word.lower() for word in _CLASS_WORDS.split(name)}
        if name_words.isdisjoint(_PARTS_BY_CLASS):
            if not name_words.isdisjoint(_CONTENT_WORDS):
                return False
        elif name_words.isdisjoint(_BESIDE):
            is_part = True
    return is_part and node.css_first("h1, article, main") is None


def _is_found_by_attribute(node: LexborNode, is_body: bool) -> bool:
    """Whether a selector finds a node by an attribute. Then each of its attributes counts."""
    attributes = node.attributes
    if "role" in attributes or (node.tag == "a" and "rel" in attributes):
        return True
    if not is_body:
        return False
    classes = attributes.get("class") or ""
    own_id = attributes.get("id") or ""
    return "nav" in classes or own_id.endswith(_ID_ENDS)


def _is_named_like_surroundings(node: LexborNode, classes: str, own_id: str) -> bool:
    """Whether a part of a name marks surroundings, and the node contains no heading."""
    if node.tag not in _PLACES:
        return False
    is_nav = any("nav" in re.split("[-_]", name) for name in classes.split())
    last_word = re.split("[-_]", own_id)[-1]
    if not is_nav and last_word not in _ID_ENDS:
        return False
    return node.css_first(_CONTENT) is None


def _normalise_url(url: str) -> str:
    """A target without fragment, tokens and releases. Assets also lose fingerprints and queries."""
    if "#" in url:
        url = url.partition("#")[0]
    if "/blob/" in url or "/tree/" in url:
        url = _REF.sub("", url)
    if url.endswith(("/", ".html")):  # most targets need nothing else
        return url
    if "?" in url:
        url = _TOKEN.sub("", url)
    path = url.partition("?")[0]
    if path.rpartition(".")[2].lower() not in _ASSETS:
        return url
    if "/_next/static/" in path:
        path = _without_turbopack_hash(path)
    return _FINGERPRINT.sub(_unless_word, path)


def _without_turbopack_hash(path: str) -> str:
    """The path without the second-last part of the file name, as in `page.0a1b2c3d4e5f6.js`.

    Turbopack's fingerprints are any 13 letters, digits, "_", "-" and "~".
    """
    folder, _, file = path.rpartition("/")
    parts = file.rsplit(".", 2)
    return f"{folder}/{'.'.join(parts[::2])}"


def _unless_word(match: re.Match[str]) -> str:
    """The text, or "" for a fingerprint. `IMG_0001`, `version1` and `Homepage` are words."""
    word = match["word"]
    if not word:
        return ""
    has_both_cases = re.search("[a-z]", word) and re.search("[A-Z]", word)
    capitals_and_digits = re.findall("[A-Z]|[0-9]", word[1:])
    is_random = has_both_cases and len(capitals_and_digits) > 1
    return "" if is_random else match[0]


def _structured(text: str) -> str:
    """JSON-LD in a normalised form, without dates that builds write."""
    try:
        return json.dumps(_undated(json.loads(text)), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _undated(value: Any) -> Any:
    """JSON without the dates of builds, and with normalised URLs."""
    if isinstance(value, dict):
        return {key: _undated(inner) for key, inner in value.items() if key not in _BUILD_DATES}
    if isinstance(value, list):
        return [_undated(inner) for inner in value]
    if isinstance(value, str):
        return _normalise_url(value)
    return value


def read_images(tree: LexborHTMLParser) -> tuple[str, ...]:
    """The images in the main content, each once, with their URLs as written."""
    urls: dict[str, None] = {}
    for image in _content_images(tree):
        attributes = image.attributes
        if _only_counts_visits(attributes):
            continue
        for url in _candidates(image, attributes):
            if url and not _NO_FILE.match(url):
                urls[url] = None
                break
    return tuple(islice(urls, MAX_IMAGES))


def _only_counts_visits(image: Attributes) -> bool:
    """Whether an image has at most one pixel, which nobody sees."""
    sides = (image.get("width") or "", image.get("height") or "")
    return all(side.strip().removesuffix("px") in ("0", "1") for side in sides)


def _content_images(tree: LexborHTMLParser) -> list[LexborNode]:
    """The `img` of the main content.

    Checks only the elements above them, in a third of the time.
    """
    marked = tree.css_first(_MAIN)
    main = marked or tree.body
    images = main.css("img") if main else []
    if main is None or not images:
        return []
    above = _with_ancestors(images, main)
    surroundings = _surrounding(main, above.values(), marked is None)
    outside = {node.mem_id for node in surroundings}
    for mem_id, node in above.items():
        is_below = node.parent and node.parent.mem_id in outside
        if is_below or (node.tag == "a" and _leads_to_source(node)):
            outside.add(mem_id)
    return [image for image in images if image.mem_id not in outside]


def _with_ancestors(images: Iterable[LexborNode], main: LexborNode) -> dict[int, LexborNode]:
    """The images and the elements between them and the main part, by address, parents first."""
    nodes: dict[int, LexborNode] = {}
    for image in images:
        chain: list[LexborNode] = []
        node: LexborNode | None = image
        while node and node.mem_id != main.mem_id and node.mem_id not in nodes:
            chain.append(node)
            node = node.parent
        nodes |= {node.mem_id: node for node in reversed(chain)}
    return nodes


def _candidates(image: LexborNode, attributes: Attributes) -> Iterator[str]:
    """The forms of an image, the best first:

    of its `srcset`, its `src`, of the `picture` around it.
    """
    yield from _largest_first(attributes)
    yield (attributes.get("src") or "").strip()
    if image.parent and image.parent.tag == "picture":
        for source in _sources_before(image):
            yield from _largest_first(source.attributes)


def _sources_before(image: LexborNode) -> list[LexborNode]:
    """The `source` elements of an image in a `picture`, in order.

    Those before another image are that image's, so that many images with many sources stay fast.
    """
    sources: list[LexborNode] = []
    sibling = image.prev
    while sibling and sibling.tag != "img":
        if sibling.tag == "source":
            sources.append(sibling)
        sibling = sibling.prev
    sources.reverse()
    return sources


def _largest_first(attributes: Attributes) -> list[str]:
    """The URLs of a `srcset`. One without a size is for `1x` (HTML standard, srcset attributes)."""
    candidates = _CANDIDATE.findall(attributes.get("srcset") or "")
    candidates.sort(key=lambda candidate: -float(candidate[1] or 1))
    return [url for url, _ in candidates]
