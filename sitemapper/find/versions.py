"""Old versions of a documentation that are listed beside the newest: `1.0/`, `2.0/`, `latest/`."""

import os
import re
from collections.abc import Iterator, Sequence

from ..config.settings import Settings
from ..messages import Kind, Message
from ..model import Listed
from ..plan import Plan
from ..select.alone import select_file
from ..syntax.gitignore import BUILT_IN

# `1.0`, `v2`, `3.x`, `1_2`: compiled when it is used. The `_` is apart from `.` and `-`, because
# `\w` matches it too. In one class, `1_1_1` could be read in many ways, which takes long.
_NUMBER = r"v?\d+(?:_\w+)?(?:[.-]\w+)*"
_NEWEST = ("latest", "stable", "current")
_OTHERS = ("next", "dev", "main", "master")  # versions that are not released


def note_versions(plan: Plan, settings: Settings) -> Iterator[Message]:
    """The note on folders of versions beside each other whose pages are all listed.

    Nothing is left out by itself, because old versions may be wanted. So a pattern or a rule of the
    user that names one of the folders ends the note.
    """
    for parent, paths in _group_by_parent(plan).items():
        folders = [f"{parent}{name}/" for name in _list_versions(plan.root.file(parent))]
        listed = [folder for folder in folders if _is_listed(folder, paths, plan)]
        if len(listed) > 1 and not any(_is_named(folder, plan, settings) for folder in folders):
            old = ", ".join(f'"{folder}"' for folder in listed[:-1])
            help = f"to list one: `ignore = [{old}]`, once with `--max-drop 100`"
            yield Message(Kind.VERSIONS, (", ".join(listed),), len(listed), help=help)
            return


def _group_by_parent(plan: Plan) -> dict[str, list[str]]:
    """The first pages in folders of versions: the folder above, with the paths below the version.

    `docs/1.0/a.html` and `docs/1.0/b/index.html` → `docs/` with `a.html` and `b/index.html`.
    """
    paths: dict[str, list[str]] = {}
    for page in plan.beginning.pages:
        steps = page.path.split("/")
        for depth, name in enumerate(steps[:-1]):
            if _is_version(name):
                parent = "".join(f"{step}/" for step in steps[:depth])
                paths.setdefault(parent, []).append("/".join(steps[depth + 1 :]))
                break
    return paths


def _is_version(name: str) -> bool:
    """Whether a folder has the name of a version: `1.0`, `v2`, `latest`, `dev`."""
    return name in (*_NEWEST, *_OTHERS) or re.fullmatch(_NUMBER, name) is not None


def _list_versions(folder: str) -> list[str]:
    """The folders of versions in a folder, the newest last; none if their names may mean others.

    Numbers alone, such as the years of a blog, are versions only beside `latest` or the like.
    """
    names = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    names = sorted(filter(_is_version, names), key=_age)
    numbers = [name for name in names if re.fullmatch(_NUMBER, name)]
    has_newest = not set(names).isdisjoint(_NEWEST)
    are_versions = all("." in name or name.startswith("v") for name in numbers)
    return names if has_newest or (numbers and are_versions) else []


def _age(name: str) -> tuple[bool, bool, list[int]]:
    """The order of versions, the newest last: `dev`, `1.9`, `1.10`, `latest`."""
    return name in _NEWEST, name not in _OTHERS, [int(part) for part in re.findall(r"\d+", name)]


def _is_listed(folder: str, paths: Sequence[str], plan: Plan) -> bool:
    """Whether a folder has most pages of the other versions, and they are listed.

    The first such page stands for all: old versions are left out as a whole, by canonicals or by
    robots.txt.
    """
    shared = [path for path in paths if os.path.isfile(plan.root.file(folder + path))]
    if len(shared) * 2 <= len(paths) or plan.root.ignore.deciding_pattern(folder + shared[0]):
        return False
    selected = select_file(folder + shared[0], plan.policy, plan.read_options, plan.root)
    return selected is not None and isinstance(selected.result, Listed)


def _is_named(folder: str, plan: Plan, settings: Settings) -> bool:
    """Whether a pattern or a rule of the user names a folder: `1.0/`, `!1.0/`, `docs/1.0/*`."""
    texts = [line.text for line in plan.site.ignore if not line.origin.source.startswith(BUILT_IN)]
    texts += [text for rule in settings.rules for text in rule.match]
    texts += [text for section in settings.sitemaps for text in section.match]
    name = folder.split("/")[-2]
    return any(name in text.strip("!").split("/") for text in texts)
