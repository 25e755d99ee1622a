"""Text in the main part of a page that most pages of its folder show, too.

It comes from a theme, not from a page's source. So where a page seems to show more than its source
has, this text does not count. Only such pages are read again, each with a few of its folder.
"""

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..model import Batch, Listed, PageFacts
from ..recent import Recent
from ..syntax.html import parse_tree
from ..syntax.urls import INDEXES, folder_of, is_page_name
from .server import read_at
from .walk import SiteRoot

_SAMPLE = 9  # pages of a folder that are compared
_MOST_TRIED = 100  # names in a folder, of which many may be no pages
_LEAST_PAGES = 4  # of fewer pages, two may be the same by chance
_MIN_BYTES_IN_ROW = 100  # of shared texts: single words and headings are the same by chance
_KEPT = 50  # folders whose shared texts are remembered


class _PageFolder(NamedTuple):
    """A folder whose pages are compared with each other. There are two cases, both for `docs`:

    - `docs/a.html` and `docs/b.html`: the pages are in the folder
    - `docs/a/index.html` and `docs/b/index.html`: the pages have folders of their own in it
    """

    path: str
    pages_have_folders: bool


SharedTexts = Recent[_PageFolder, frozenset[str]]


def empty_shared_texts() -> SharedTexts:
    """Makes an empty store for texts that most pages of a folder show, such as those of its menu.

    It is kept from batch to batch, because the pages of a large folder are in many batches.
    """
    return Recent(_KEPT)  # only for the folders that were used last: most are walked only once


def without_shared_text(
    batch: Batch,
    listed: Sequence[Listed],
    facts: Sequence[PageFacts],
    root: SiteRoot,
    remembered: SharedTexts,
) -> Sequence[PageFacts]:
    """Subtracts text that most pages of a folder show, such as a menu, from the text size of pages.

    A page with 9 KB of text seems not to come from a source file that can give 5 KB at most. But if
    4 KB of it are a menu of the theme, the source gave only 5 KB.

    Only pages with more text than any of their possible sources can give are corrected. They are
    few, because they are read again, with some pages of their folder.

    Returns the facts of the pages in `listed`, in the same order. Texts of folders that were found
    are added to `remembered`.
    """
    corrected_facts = list(facts)
    sources_of_pages = batch.sources  # a property, which collects them at each access
    for index, entry in enumerate(listed):
        sources = sources_of_pages.get(entry.path)
        titles_and_size = facts[index].shown
        if not sources or not titles_and_size:
            continue
        # A size that is not exact is so small that each source can give it (`PageReader`).
        titles, size, is_exact = titles_and_size
        if size <= max(source.max_text for source in sources):  # one of the sources can give it
            continue
        shared = _shared_texts(_page_folder_of(entry.path), root, remembered)
        if shared:
            own_size = size - _size_of_shared(_texts_of(entry.path, root), shared)
            corrected_facts[index] = facts[index]._replace(shown=(titles, own_size, is_exact))
    return corrected_facts


def _page_folder_of(path: str) -> _PageFolder:
    """Finds the folder with the pages that stand beside a page, and probably share its menus.

    - `docs/a.html` → `docs`, whose pages are compared
    - `docs/a/index.html` → `docs` too, but the pages are the `index.html` of each folder in it. Its
      own folder `docs/a` has no other pages, because generators of such sites give each page one
    """
    own_folder = folder_of(path, INDEXES)  # `docs/a/`; None for `docs/a.html`, "" for the home page
    if own_folder:
        parent, _, _ = own_folder.rstrip("/").rpartition("/")
        return _PageFolder(parent, pages_have_folders=True)
    folder, _, _ = path.rpartition("/")
    return _PageFolder(folder, pages_have_folders=False)


def _shared_texts(folder: _PageFolder, root: SiteRoot, remembered: SharedTexts) -> frozenset[str]:
    """Returns the texts that most pages of a folder show, and adds them to `remembered`."""
    shared = remembered.get(folder)
    if shared is None:
        shared = _find_shared(folder, root)
        remembered.put(folder, shared)
    return shared


def _find_shared(folder: _PageFolder, root: SiteRoot) -> frozenset[str]:
    """Finds the texts that more than half of the pages of a folder show: those of the theme.

    Nine pages at most are read. If five of nine show `Home`, `Tea` and `Contact`, these three are
    the result. Empty if fewer than four of them have any text: of so few pages, two may show the
    same text by chance.
    """
    counts = Counter[str]()  # how many pages show a text
    pages = 0  # with text
    for path in _pick_pages(folder, root):
        texts = set(_texts_of(path, root))
        if texts:
            pages += 1
            counts.update(texts)
    if pages < _LEAST_PAGES:
        return frozenset()
    return frozenset(text for text, count in counts.items() if count * 2 > pages)


def _pick_pages(folder: _PageFolder, root: SiteRoot) -> list[str]:
    """Picks at most nine pages of a folder, at equal distances by name: of 90, every tenth.

    For `docs`, these are files such as `docs/a.html`. If each page has a folder of its own, they
    are files such as `docs/a/index.html`. Empty if `docs` cannot be listed.
    """
    names: list[str] = []
    with suppress(OSError):
        names = sorted(os.listdir(root.file(folder.path)))
    prefix = f"{folder.path}/" if folder.path else ""
    if folder.pages_have_folders:
        # These may be other files, or folders without an `index.html`. Step 2 leaves them out.
        paths = [f"{prefix}{name}/{INDEXES[0]}" for name in names if not is_page_name(name)]
    else:
        paths = [prefix + name for name in names if is_page_name(name) and name not in INDEXES]
    # 1. About 100 names, because a folder may have a million, and step 2 asks the disk for each.
    possible_pages = _pick_evenly(paths, _MOST_TRIED)
    # 2. Those that are files.
    pages = [path for path in possible_pages if os.path.isfile(root.file(path))]
    # 3. Nine of them. `_pick_evenly` may pick a few more.
    return _pick_evenly(pages, _SAMPLE)[:_SAMPLE]


def _pick_evenly(paths: list[str], count: int) -> list[str]:
    """Picks at least `count` of the paths, at equal distances: 2 of `a`, `b`, `c`, `d` → `a`, `c`.

    The result may have nearly twice as many paths: 4 of seven → all seven. If there are fewer than
    `count`, all are picked.
    """
    distance = max(1, len(paths) // count)  # a whole number: 7 / 4 → 1
    return paths[::distance]


def _texts_of(path: str, root: SiteRoot) -> Iterator[str]:
    """Yields the texts of the elements in the main part of a page, in order.

    `<p>Hot <b>tea</b>` → `Hot`, `tea`. Nothing if the page cannot be read.
    """
    # Imported here: most runs read no content.
    from .main_part import main_part

    data = read_at(root, path)
    main = main_part(parse_tree(data), path) if data else None
    if main is None:
        return
    for text in main.node.text(separator="\0").split("\0"):
        words = " ".join(text.split())
        if words:
            yield words


def _size_of_shared(texts: Iterable[str], shared: Container[str]) -> int:
    """Counts the bytes of the texts of a page that other pages share, such as those of a menu.

    Shared texts that follow each other are a row. Rows of less than 100 bytes do not count, because
    pages may have a short text in common by chance. A page has a shared menu `Tea`, `Coffee` … of
    150 bytes, a text of its own, and the shared word `Example` → 150.
    """
    size = 0
    bytes_in_row = 0
    for text in [*texts, ""]:  # "" is not shared, so it ends the last row
        if text in shared:
            bytes_in_row += len(text.encode("utf-8", "replace")) + 1  # 1: the space after it
            continue
        if bytes_in_row >= _MIN_BYTES_IN_ROW:
            size += bytes_in_row
        bytes_in_row = 0
    return size
