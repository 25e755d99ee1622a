"""Text in the main part of a page that most pages of its folder show, too.

It comes from a theme, not from a page's source. So where pages seem to show more than their
sources, this text does not count. Only such pages are read again, each with a few of its folder.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..model import Batch, Listed, PageFacts
from ..site.read import read
from ..site.server import find_page
from ..site.walk import SiteRoot
from ..syntax.html import SIZE_LIMIT, parse_tree
from ..syntax.urls import INDEXES, folder_of, is_page_name

_SAMPLE = 9  # pages of a folder
_LEAST_PAGES = 3  # other pages of the folder that are compared
_LEAST_BYTES = 100  # of texts in a row: single words and headings are the same by chance


class _PageTexts(NamedTuple):
    """A page, and the texts of the elements in its main part."""

    path: str
    texts: frozenset[str]


def without_shared_text(
    batch: Batch, listed: Sequence[Listed], facts: Sequence[PageFacts], root: SiteRoot
) -> Sequence[PageFacts]:
    """The facts, with only the own text of pages that seem to show more than their sources."""
    own = list(facts)
    samples: dict[tuple[str, bool], list[_PageTexts]] = {}
    for place, entry in enumerate(listed):
        sources = batch.sources.get(entry.path)
        shown = facts[place].shown
        if not sources or not shown:
            continue
        titles, size, _ = shown
        if size <= max(source.most_text for source in sources):
            continue
        folder = _folder_of(entry.path)
        if folder not in samples:
            samples[folder] = list(_read_sample(*folder, root))
        others = [page.texts for page in samples[folder] if page.path != entry.path]
        if len(others) >= _LEAST_PAGES:
            shared = _shared_size(_texts_of(entry.path, root), others)
            own[place] = facts[place]._replace(shown=(titles, size - shared, True))
    return own


def _folder_of(path: str) -> tuple[str, bool]:
    """The folder in which a page has its neighbours, and whether each has a folder of its own."""
    own_folder = folder_of(path, INDEXES)
    is_index = bool(own_folder)
    place = own_folder.rstrip("/") if own_folder else path
    return place.rpartition("/")[0], is_index


def _read_sample(folder: str, has_folders: bool, root: SiteRoot) -> Iterator[_PageTexts]:
    """Some pages of a folder, spread evenly by their names."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(os.listdir(root.file(folder)))
    prefix = f"{folder}/" if folder else ""
    paths = [f"{prefix}{name}/{INDEXES[0]}" for name in names if not is_page_name(name)]
    if not has_folders:
        paths = [prefix + name for name in names if is_page_name(name) and name not in INDEXES]
    pages = [path for path in paths if os.path.isfile(root.file(path))]
    step = max(1, len(pages) // _SAMPLE)
    for path in pages[::step][:_SAMPLE]:
        texts = frozenset(_texts_of(path, root))
        if texts:
            yield _PageTexts(path, texts)


def _texts_of(path: str, root: SiteRoot) -> list[str]:
    """The texts in the main part of a page in order, none if it cannot be read."""
    # Imported here: most runs read no content.
    from ..extract.main_part import main_part

    page = find_page(root, path)
    if page is None:
        return []
    try:
        data = read(root, page, SIZE_LIMIT)
    except OSError:
        return []
    tree = parse_tree(data)
    main = main_part(tree, path)
    if main is None:
        return []
    texts = (" ".join(text.split()) for text in main.node.text(separator="\0").split("\0"))
    return [text for text in texts if text]


def _shared_size(texts: Iterable[str], others: Sequence[frozenset[str]]) -> int:
    """The bytes of texts in a row that most of the other pages have."""
    shared = 0
    in_row = 0
    for text in texts:
        if sum(text in other for other in others) * 2 > len(others):
            in_row += len(text.encode("utf-8", "replace")) + 1
            continue
        if in_row >= _LEAST_BYTES:
            shared += in_row
        in_row = 0
    return shared + in_row if in_row >= _LEAST_BYTES else shared
