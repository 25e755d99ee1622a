"""The bytes of a page to `PageFacts`. If the head is enough, the rest of the page is not parsed.

Otherwise, one tree is used for everything. Metadata, date and images are read first, and the digest
last, because it removes nodes from the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..model import NO_FACTS, NO_METADATA, PageFacts
from ..syntax.html import all_tags, head_end, head_tags, parse_tree
from ..syntax.urls import is_html
from .kind import kind_of
from .metadata import HeadSignals, interpret, mentions_date, read_date

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from ..syntax.html import Attributes
    from .content import DigestRule

# What a page with images contains. `<image>` is one too, and UTF-16 hides both.
_IMAGE_MARKS = (b"<im", b"<IM", b"<Im", b"<iM", b"\0")


class ReadOptions(NamedTuple):
    """What to read from pages.

    `signals` are those in the head, which are read with the links and the kind of the file; None
    for none of these. `digest` is the rule of the digest of the content.

    `titles_and_size` reads the titles and the size of the text, for a page that may have a source
    file. To count the exact size takes long. It is only counted for a page that may have more than
    `exact_size_above` bytes, because any of its possible sources can give so much text.
    """

    signals: HeadSignals | None
    dates: bool
    digest: DigestRule | None
    images: bool
    titles_and_size: bool = False
    exact_size_above: int = 0

    @property
    def reads(self) -> bool:
        """Whether pages are opened at all. False if none of the options asks for anything."""
        return bool(
            self.signals or self.dates or self.digest or self.images or self.titles_and_size
        )


def extract_facts(path: str, data: bytes, options: ReadOptions) -> PageFacts:
    """Reads what `options` ask for from the bytes of a page: metadata, date, images and digest.

    Also says what kind of file it is if it is not a page. A file that is not HTML, such as a PDF,
    has only a digest. Never raises.
    """
    if not is_html(path):
        if not options.digest:
            return NO_FACTS
        # Imported here: most runs read no content.
        from .content import digest_bytes

        return PageFacts(digest=digest_bytes(data, options.digest))
    # Parsing a whole page is slow, and searching its bytes is fast. So the bytes are searched first
    # for what needs the whole page, such as a date or images. Most pages do not have it.
    end_of_head = head_end(data) if options.signals else None
    kind = kind_of(path, data, end_of_head) if options.signals else None
    has_date = options.dates and mentions_date(data)
    has_images = options.images and any(mark in data for mark in _IMAGE_MARKS)
    wants_content = bool(options.digest or has_images or options.titles_and_size)
    needs_whole_page = wants_content or has_date
    if not needs_whole_page:
        if options.signals is None:
            return NO_FACTS
        # If tags that matter may follow the head, this is None, and the page is parsed below.
        head = head_tags(data, options.signals.tag_words, end_of_head)
        if head:
            return PageFacts(metadata=interpret(head, options.signals), kind=kind)
    # The whole page is parsed, once for all that is wanted.
    tree = parse_tree(data)
    tags = all_tags(tree)
    metadata = interpret(tags, options.signals) if options.signals else NO_METADATA
    date = read_date(tree, tags.metas) if has_date else None
    facts = PageFacts(metadata=metadata, date=date, kind=kind)
    if not wants_content:
        return facts
    return _with_content(facts, tree, tags.metas, path, data, options, has_images=has_images)


def _with_content(
    facts: PageFacts,
    tree: LexborHTMLParser,
    metas: list[Attributes],
    path: str,
    data: bytes,
    options: ReadOptions,
    *,
    has_images: bool,
) -> PageFacts:
    """Adds to the facts about a page what `options` ask for of its content.

    This is its images, titles, text size and digest. `metas` are the `<meta>` tags of the page.

    Removes nodes from the tree, so nothing else may be read from it afterwards.
    """
    # Imported here: most runs read no content.
    from . import content
    from .main_part import main_part, max_text_size, text_size

    # 1. What needs the whole tree comes first, because the other steps remove nodes from it. The
    # outline is what the digest needs from outside the main part, such as the title.
    outline = content.read_outline(tree, data) if options.digest else None
    titles = content.read_titles(tree, metas) if options.titles_and_size else ()
    if has_images:
        facts = facts._replace(images=content.read_images(tree))
    if not (options.digest or options.titles_and_size):
        return facts
    # 2. The size of the text in the main part. If the exact size only matters above 500 bytes, and
    # the whole page has 400, "at most 400" is the result: it takes long to find the main part. But
    # a digest needs the main part in any case, so the exact size is counted then.
    if options.digest is None:
        max_size = max_text_size(tree, options.exact_size_above)
        if max_size is not None:
            is_exact = False
            return facts._replace(shown=(titles, max_size, is_exact))
    main = main_part(tree, path)  # None without a body
    if main and options.titles_and_size:
        is_exact = True
        facts = facts._replace(shown=(titles, text_size(main), is_exact))
    # 3. The digest. `dropped` says which of the user's selectors removed something from the page.
    if options.digest and outline:
        digest, dropped = content.digest_page(outline, main, options.digest)
        facts = facts._replace(digest=digest, dropped=dropped)
    return facts
