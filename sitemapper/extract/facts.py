"""The bytes of a page to `PageFacts`. If the head is enough, the rest of the page is not parsed.

Otherwise, one tree is used for everything. Metadata, date and images are read first, and the digest
last, because it removes nodes from the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..model import NO_FACTS, NO_METADATA, PageFacts
from ..syntax.html import Tags, all_tags, head_tags, parse_tree
from ..syntax.urls import is_html
from .kind import kind_of
from .metadata import interpret, mentions_date, read_date

if TYPE_CHECKING:
    from .content import DigestRule


class ReadOptions(NamedTuple):
    """The data to read from pages: metadata, dates, the digest of the content by a rule, images.

    `shown` also reads titles and the size of the text, for a page that may have a source.
    """

    metadata: bool
    dates: bool
    digest: DigestRule | None
    images: bool
    shown: bool = False

    @property
    def reads(self) -> bool:
        """Whether pages are opened at all."""
        return bool(self.metadata or self.dates or self.digest or self.images or self.shown)

    @property
    def stamp(self) -> str:
        """Identifies the data that is read, because records are valid only for the same data.

        "" for none.
        """
        fingerprint = self.digest and self.digest.fingerprint
        return repr((self.metadata, self.dates, fingerprint, self.images)) if self.reads else ""


def extract_facts(path: str, data: bytes, options: ReadOptions) -> PageFacts:
    """The facts in the bytes of a file.

    For a file that is not HTML, only the digest. Never raises.
    """
    if not is_html(path):
        if not options.digest:
            return NO_FACTS
        # Imported here: most runs read no content.
        from .content import digest_bytes

        return PageFacts(digest=digest_bytes(data, options.digest))
    kind = kind_of(path, data) if options.metadata else None
    has_date = options.dates and mentions_date(data)
    # `<image>` is an image too, and UTF-16 hides both.
    has_images = options.images and any(
        mark in data for mark in (b"<im", b"<IM", b"<Im", b"<iM", b"\0")
    )
    wants_content = options.digest or has_images or options.shown
    if not (wants_content or has_date):
        tags = head_tags(data) if options.metadata else Tags([], [], [], [])
        if tags:
            return PageFacts(interpret(tags), kind=kind)
    tree = parse_tree(data)
    metadata = interpret(all_tags(tree)) if options.metadata else NO_METADATA
    facts = PageFacts(metadata, read_date(tree) if has_date else None, kind)
    if not wants_content:
        return facts
    from . import content

    outline = content.read_outline(tree, data) if options.digest else None
    titles = content.read_titles(tree) if options.shown else ()
    if has_images:
        facts = facts._replace(images=content.read_images(tree))
    # From here on, nodes are removed from the tree.
    main = content.main_part(tree) if options.digest or options.shown else None
    if main and options.shown:
        facts = facts._replace(shown=(titles, content.text_size(main)))
    if not (options.digest and outline):
        return facts
    digest, dropped = content.digest_page(outline, main, options.digest)
    return facts._replace(digest=digest, dropped=dropped)
