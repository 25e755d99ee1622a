"""Text in the main part of a page that most pages of its folder show, too.

It comes from a theme, not from a page's source. So where pages seem to show more than their
sources, this text does not count. Only such pages are read again, each with a few of its folder.
"""

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress

from ..model import Batch, Listed, PageFacts
from ..recent import Recent
from ..syntax.html import parse_tree
from ..syntax.urls import INDEXES, folder_of, is_page_name
from .contents import read_at
from .walk import SiteRoot

_SAMPLE = 9  # pages of a folder
_MOST_LOOKED_AT = 100  # names in a folder that may be no pages
_LEAST_PAGES = 4  # of a folder that are compared
_LEAST_BYTES = 100  # of texts in a row: single words and headings are the same by chance
_KEPT = 50  # folders whose shared texts are remembered

# A folder, and whether each of its pages has a folder of its own.
_Folder = tuple[str, bool]
SharedTexts = Recent[_Folder, frozenset[str]]


def remember_shared_texts() -> SharedTexts:
    """Remembers what the pages of a folder share, because a large folder has many batches."""
    return Recent(_KEPT)


def without_shared_text(
    batch: Batch,
    listed: Sequence[Listed],
    facts: Sequence[PageFacts],
    root: SiteRoot,
    known: SharedTexts,
) -> Sequence[PageFacts]:
    """The facts, with only the own text of pages that seem to show more than their sources."""
    own = list(facts)
    for place, entry in enumerate(listed):
        sources = batch.sources.get(entry.path)
        shown = facts[place].shown
        if not sources or not shown:
            continue
        titles, size, _ = shown
        if size <= max(source.most_text for source in sources):
            continue
        folder = _folder_of(entry.path)
        shared = known.get(folder)
        if shared is None:
            shared = _find_shared(folder, root)
            known.put(folder, shared)
        if shared:
            shared_size = _size_of_shared(_texts_of(entry.path, root), shared)
            own[place] = facts[place]._replace(shown=(titles, size - shared_size, True))
    return own


def _folder_of(path: str) -> _Folder:
    """The folder in which a page has its neighbours, and whether each has a folder of its own."""
    own_folder = folder_of(path, INDEXES)
    is_index = bool(own_folder)
    place = own_folder.rstrip("/") if own_folder else path
    return place.rpartition("/")[0], is_index


def _find_shared(folder: _Folder, root: SiteRoot) -> frozenset[str]:
    """The texts that most pages of a folder have, by a few of them. Empty for too few pages."""
    counts = Counter[str]()
    pages = 0
    for path in _sample(*folder, root):
        texts = set(_texts_of(path, root))
        if texts:
            pages += 1
            counts.update(texts)
    if pages < _LEAST_PAGES:
        return frozenset()
    return frozenset(text for text, count in counts.items() if count * 2 > pages)


def _sample(folder: str, has_folders: bool, root: SiteRoot) -> Iterator[str]:
    """Some pages of a folder, spread evenly by their names."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(os.listdir(root.file(folder)))
    prefix = f"{folder}/" if folder else ""
    if has_folders:
        paths = [f"{prefix}{name}/{INDEXES[0]}" for name in names if not is_page_name(name)]
    else:
        paths = [prefix + name for name in names if is_page_name(name) and name not in INDEXES]
    step = max(1, len(paths) // _MOST_LOOKED_AT)
    pages = [path for path in paths[::step] if os.path.isfile(root.file(path))]
    yield from pages[:: max(1, len(pages) // _SAMPLE)][:_SAMPLE]


def _texts_of(path: str, root: SiteRoot) -> list[str]:
    """The texts in the main part of a page in order, none if it cannot be read."""
    # Imported here: most runs read no content.
    from .main_part import main_part

    data = read_at(root, path)
    if data is None:
        return []
    tree = parse_tree(data)
    main = main_part(tree, path)
    if main is None:
        return []
    texts = (" ".join(text.split()) for text in main.node.text(separator="\0").split("\0"))
    return [text for text in texts if text]


def _size_of_shared(texts: Iterable[str], shared: Container[str]) -> int:
    """The bytes of shared texts in a row."""
    size = 0
    in_row = 0
    for text in texts:
        if text in shared:
            in_row += len(text.encode("utf-8", "replace")) + 1
            continue
        if in_row >= _LEAST_BYTES:
            size += in_row
        in_row = 0
    return size + in_row if in_row >= _LEAST_BYTES else size
