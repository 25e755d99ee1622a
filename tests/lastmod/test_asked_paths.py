"""Git is asked about a few paths only, and what it says of them is the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import write_site
from support.git import DAY, START, Repo
from support.laws import examples

from sitemapper.lastmod.commits import ALL_PATHS, AskedPaths, ask_about
from sitemapper.lastmod.last_commits import FileKind, TrackedFile
from sitemapper.lastmod.tracked_files import TrackedFiles


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        (["a/b/c/d.md", "site/public/"], ("a/b/c", "site/public")),
        ([f"{n}/index.md" for n in range(50)], ()),
    ],
)
def test_the_paths_for_files_and_folders(names: Sequence[str], paths: tuple[str, ...]) -> None:
    assert ask_about(names).paths == paths


def known_of(repo: Repo, asked: AskedPaths, names: Sequence[bytes]) -> dict[bytes, TrackedFile]:
    tracked = TrackedFiles(str(repo.root))
    tracked.load(asked)
    tracked.mark((FileKind.SOURCE, name) for name in names)
    tracked.read(lambda: None, skips_rewrites=True)
    assert tracked.problems == []
    found = ((name, tracked.find(name)) for name in names)
    return {name: file for name, file in found if file}


def facts_of(file: TrackedFile) -> tuple[object, ...]:
    """All that is found of a file but the parents of its commits, which differ with the paths."""
    commits = file.commits
    assert commits.dating
    assert commits.newest
    return (
        commits.dating.hash,
        commits.dating.seconds,
        commits.dating.is_certain,
        commits.newest.hash,
        commits.has_edit,
        file.is_edited,
    )


def test_only_files_of_the_asked_paths_are_known(repo: Repo) -> None:
    repo.commit(1, {"-docs/a.md": "a", "-docs.md": "b", "b.md": "b"})
    names = [b"-docs/a.md", b"-docs.md", b"b.md"]
    [(name, file)] = known_of(repo, ask_about(["-docs/a.md"]), names).items()
    assert (name, file.commits.dating.seconds) == (b"-docs/a.md", START)


def test_files_that_were_moved_from_elsewhere_and_formatted_then(repo: Repo) -> None:
    names = [f"{number}.md" for number in range(20)]
    repo.commit(1, {f"old/{name}": name for name in names})
    repo("mv", "old", "docs")
    repo.commit(2, {})
    repo.commit(3, {f"docs/{name}": f"{name}\n" for name in names})
    repo.commit(4, {"docs/0.md": "edited"})
    paths = [f"docs/{name}".encode() for name in names]
    found = known_of(repo, ask_about(["docs/"]), paths)
    assert [found[path].commits.dating.seconds for path in paths[:2]] == [START + 3 * DAY, START]


@pytest.mark.slow
def test_a_path_in_a_submodule(repo: Repo, tmp_path: Path) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(1, {"en/a.md": "a", "de/a.md": "a"})
    repo("submodule", "--quiet", "add", str(texts.root), "texts")
    repo.commit(2, {"b.md": "b"})
    names = [b"b.md", b"texts/de/a.md", b"texts/en/a.md"]
    assert list(known_of(repo, ask_about(["texts/en/a.md"]), names)) == names[1:]
    assert list(known_of(repo, ask_about(["texts/"]), names)) == names[1:]


def make_history(repo: Repo, choices: random.Random) -> None:
    """Edits, moves, deletions and merges of a few files in three folders."""
    names = [f"{folder}/{name}.md" for folder in ("docs", "old", "more") for name in "abc"]
    repo.commit(1, {name: name for name in names[:6]})
    for number in range(2, 16):
        name, other = choices.sample(names, 2)
        exists = (repo.root / name).exists()
        action = choices.choice(["edit", "move", "delete", "merge"])
        if action == "move" and exists:
            (repo.root / other).parent.mkdir(exist_ok=True)
            repo("mv", "--force", name, other)
        elif action == "delete" and exists:
            repo("rm", "--quiet", name)
        elif action == "merge" and exists:
            repo("checkout", "-q", "-b", f"b{number}")
            repo.commit(number, {name: "branch" * number})
            repo("checkout", "-q", "main")
            repo.commit(number, {"x.md": "x" * number})
            repo("merge", "-q", "-m", "x", f"b{number}", number=number)
        else:
            write_site(repo.root, {name: choices.choice("123") * number})
        repo("add", "--all")
        repo("commit", "-q", "--allow-empty", "-m", "x", number=number)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(examples(6, 60)))
def test_what_git_says_does_not_depend_on_the_asked_paths(repo: Repo, seed: int) -> None:
    make_history(repo, random.Random(seed))
    names = [f"docs/{name}.md".encode() for name in "abc"]
    limited = known_of(repo, ask_about(["docs/"]), names)
    complete = known_of(repo, ALL_PATHS, names)
    assert {name: facts_of(file) for name, file in limited.items()} == {
        name: facts_of(file) for name, file in complete.items()
    }
