"""Old versions of a documentation that are listed beside the newest: `1.0/`, `2.0/`, `latest/`."""

import os
import re
from collections.abc import Iterator, Sequence

from ..config.settings import Settings
from ..messages import Kind, Message
from ..model import Listed
from ..plan import Plan
from ..select.pages import select_file
from ..syntax.gitignore import BUILT_IN

# `1.0`, `v2`, `3.x`, `1_2`: compiled when it is used. The `_` is apart from `.` and `-`, because
# `\w` matches it too. In one class, `1_1_1` could be read in many ways, which takes long.
_NUMBER = r"v?\d+(?:_\w+)?(?:[.-]\w+)*"
_NEWEST = {"latest", "stable", "current"}
_UNRELEASED = {"next", "dev", "main", "master"}


def note_versions(plan: Plan, settings: Settings) -> Iterator[Message]:
    """Yields a note if the sitemap lists several versions: pages of `1.0/`, `2.0/` and `latest/`.

    The note says how to list only the newest. Old versions may be wanted, so they are never left
    out by themselves. A user who names one of the folders in a pattern or a rule has decided, and
    gets no note. One note is enough: the first folder with versions gives it.
    """
    decided_names = _list_names_in_patterns(plan, settings)
    for parent, paths in _group_by_parent(plan).items():
        names = _list_versions(plan.root.file(parent))
        if not decided_names.isdisjoint(names):
            continue
        listed = []
        for name in names:
            folder = f"{parent}{name}/"
            first_page = _find_first_page(folder, paths, plan)
            if first_page and _is_listed(first_page, plan):
                listed.append(folder)
        if len(listed) > 1:
            # The newest is the last, so `ignore` gets all others.
            old = ", ".join(f'"{folder}"' for folder in listed[:-1])
            setting = f"`ignore = [{old}]`"
            help = f"to list only the newest, set {setting}, and run once with `--max-drop 100`"
            yield Message(Kind.VERSIONS, (", ".join(listed),), len(listed), help=help)
            return


def _list_names_in_patterns(plan: Plan, settings: Settings) -> set[str]:
    """Lists the names of files and folders in the patterns of the user: `docs/1.0/*` has `1.0`.

    They are the patterns of `ignore`, `[[rules]]` and `[[sitemaps]]`, also negated ones.
    """
    lines = plan.site.ignore
    patterns = [line.text for line in lines if not line.origin.source.startswith(BUILT_IN)]
    patterns += [pattern for rule in settings.rules for pattern in rule.match]
    patterns += [pattern for section in settings.sitemaps for pattern in section.match]
    return {name for pattern in patterns for name in pattern.strip("!").split("/")}


def _group_by_parent(plan: Plan) -> dict[str, list[str]]:
    """Groups the first pages of the site by the folder that contains their versions.

    `docs/1.0/a.html` and `docs/2.0/b.html` → `{"docs/": ["a.html", "b.html"]}`. The paths begin
    after the version. Pages that are in no folder of a version are left out.
    """
    paths_by_parent: dict[str, list[str]] = {}
    for page in plan.beginning.pages:
        *folders, file = page.path.split("/")
        version = next(filter(_is_version, folders), None)
        if version:
            depth = folders.index(version)
            parent = "".join(f"{name}/" for name in folders[:depth])
            path_in_version = "/".join([*folders[depth + 1 :], file])
            paths_by_parent.setdefault(parent, []).append(path_in_version)
    return paths_by_parent


def _is_version(name: str) -> bool:
    """Whether a folder has the name of a version: `1.0`, `v2`, `latest`, `dev`."""
    return name in _NEWEST | _UNRELEASED or re.fullmatch(_NUMBER, name) is not None


def _list_versions(folder: str) -> list[str]:
    """Lists the names of the versions in a folder, the newest last.

    | folders | versions |
    |---|---|
    | `dev`, `1.10`, `1.9`, `images` | `dev`, `1.9`, `1.10` |
    | `2024`, `2025`, `latest` | `2024`, `2025`, `latest` |
    | `2024`, `2025` | none: they may be the years of a blog |
    """
    folders = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    names = list(filter(_is_version, folders))
    # `latest` and the like are rarely names of anything else. Numbers such as `2024` may be years,
    # but not if all of them have a dot or a `v`.
    has_newest = not _NEWEST.isdisjoint(names)
    numbers = [name for name in names if re.fullmatch(_NUMBER, name)]
    are_no_years = numbers and all("." in name or name.startswith("v") for name in numbers)
    if not has_newest and not are_no_years:
        return []

    def key_by_age(name: str) -> tuple[bool, bool, list[int]]:
        """Makes the key that sorts `dev`, `1.9`, `1.10` and `latest` in this order.

        False sorts before True. So `latest`, a copy of the newest version, comes last. `dev`, the
        work on the next release, comes before all numbers, since no reader should land there.
        """
        parts = [int(part) for part in re.findall(r"\d+", name)]  # as numbers, 10 is after 9
        return name in _NEWEST, name not in _UNRELEASED, parts

    return sorted(names, key=key_by_age)


def _find_first_page(folder: str, paths: Sequence[str], plan: Plan) -> str | None:
    """Finds the first page of the version in a folder: `2.0/a.html` in `2.0/`.

    None if the folder is no version. All versions of a documentation have nearly the same pages, so
    a version has more than half of the `paths`. These are the pages of all versions, without the
    name of the version: `a.html` for `1.0/a.html`. A folder `2024/` of a blog has few of them.
    """
    pages = [folder + path for path in paths]
    existing = [page for page in pages if os.path.isfile(plan.root.file(page))]
    is_version = len(existing) * 2 > len(pages)
    return existing[0] if is_version else None


def _is_listed(first_page: str, plan: Plan) -> bool:
    """Whether the pages of a version are listed, as the first of them shows: `1.0/index.html`.

    People leave out an old version as a whole, by canonicals, ignore patterns or robots.txt.
    """
    if plan.root.ignore.deciding_pattern(first_page):
        return False
    selected = select_file(first_page, plan.policy, plan.read_options, plan.root)
    return selected is not None and isinstance(selected.result, Listed)
