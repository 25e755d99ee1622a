"""Runs git, and reads its output. The only file that starts a program."""

import os
import posixpath
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress

from ..fs import ancestors, regular, relative

# The configuration of a repository may name programs, and the repository may be that of others. All
# programs are disabled here. A partial clone would use one to fetch objects.
_KINDS = (*(f".{kind}" for kind in ("file", "git", "http", "https", "ssh", "ext")), "")
_SAFE = (
    "core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.askPass=",
    "safe.bareRepository=explicit",
    "log.showRoot=true", "log.mailmap=false", *(f"protocol{kind}.allow=never" for kind in _KINDS),
)  # fmt: skip
# The names of `git rev-parse --local-env-vars`, except configuration. A git hook sets these for its
# own repository, and the site may be in another.
_LOCAL = {
    f"GIT_{name}" for name in (
        "DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY", "GRAFT_FILE",
        "SHALLOW_FILE", "ALTERNATE_OBJECT_DIRECTORIES", "IMPLICIT_WORK_TREE", "REPLACE_REF_BASE",
        "NO_REPLACE_OBJECTS",
    )
}  # fmt: skip
_OPTIONS = (
    "--no-pager",
    "--literal-pathspecs",
    *(word for value in _SAFE for word in ("-c", value)),
)


class GitError(Exception):
    """Why git gives no dates, as a clause, and the `step` that helps, "" for none.

    `this is not a git repository; run the build in a git repository`
    """

    def __init__(self, cause: str, step: str = "") -> None:
        super().__init__(f"{cause}; {step}" if step else cause)
        self.cause, self.step = cause, step


def configuration(top: str) -> dict[str, str]:
    """Reads the values of the configuration that git uses in a repository. Raises GitError.

    git prints the section and the last part of a key in lower case: `remote.origin.url`.
    """
    settings = {}
    for entry in run_git(top, "config", "-z", "--list"):
        key, _, value = os.fsdecode(entry).partition("\n")
        settings[key] = value
    return settings


def shallow_boundary(folder: str) -> frozenset[bytes]:
    """Reads the oldest commits of a shallow clone, whose parents were not fetched.

    Such a commit seems to have added all files, so it dates none. Their hashes are the lines of
    the file `shallow` (gitrepository-layout). Empty for a whole clone.
    """
    path = os.path.join(".git", "shallow")
    # A submodule or a linked worktree has its files elsewhere, and git says where.
    if not os.path.isfile(os.path.join(folder, ".git", "HEAD")):
        path = os.fsdecode(
            b"".join(run_git(folder, "rev-parse", "--git-path", "shallow"))
        ).removesuffix("\n")
    return frozenset((regular(os.path.join(folder, path)) or b"").split())


def tracked_files(folders: Iterable[str], names: Collection[str]) -> list[str]:
    """Finds the files with one of these names in the repositories around some folders.

    For `site/public` and `sitemap.xml`, these are all tracked files with that name in the
    repository of `site`, its submodules too. A folder in no repository has none. Raises GitError.
    """
    tops = set()
    for folder in folders:
        with suppress(GitError):  # it is in no repository
            tops.add(top_of(folder))
    files = []
    for top in sorted(tops):
        for raw_path in run_git(top, "ls-files", "--recurse-submodules", "-z"):
            path = os.fsdecode(raw_path)
            if os.path.basename(path) in names:
                files.append(os.path.join(top, path))
    return files


def untracked(files: Sequence[str], project: str) -> tuple[list[str], list[str]]:
    """Finds which files the project's repository does not track. Raises GitError.

    Returns two lists: all untracked files, and those of them that git ignores. With `a.xml`
    tracked, `b.xml` new and `c.xml` in `.gitignore` → ([`b.xml`, `c.xml`], [`c.xml`]).

    A file outside of the repository is untracked.
    """
    top = top_of(project)
    path_of = {file: path_below(top, file) for file in files}
    inside = [path for path in path_of.values() if not path.startswith("..")]
    # 1. git lists the tracked files of whole folders, because the names of many files may be too
    # long for one command.
    folders = sorted({posixpath.dirname(path) or "." for path in inside})
    tracked: set[bytes] = set()
    if folders:
        tracked = set(run_git(top, "ls-files", "-z", "--", *folders))
    untracked_files = [file for file in files if git_path(path_of[file]) not in tracked]
    # 2. git lists those of the untracked files that it ignores (`--others --ignored`). It gets
    # their names, because for a folder it would list all that is ignored there, such as
    # `node_modules`.
    untracked_paths = [path for path in inside if git_path(path) not in tracked]
    ignored: set[bytes] = set()
    if untracked_paths:
        options = ("--others", "--ignored", "--exclude-standard", "-z", "--")
        ignored = set(run_git(top, "ls-files", *options, *untracked_paths))
    ignored_files = [file for file in untracked_files if git_path(path_of[file]) in ignored]
    return untracked_files, ignored_files


def untracked_pages(site: str, project: str, is_page: Callable[[str], bool]) -> set[str]:
    """Finds the pages of a site that the project's repository does not track. Raises GitError.

    If `public/a.html` is committed, and `public/b.html` is not → {`b.html`}.

    Empty if no page is tracked, because then the site is not meant to be committed. Also empty if
    the site is outside of the repository.
    """
    top = top_of(project)
    below = path_below(top, site)  # the site's folder from the root of the repository

    def pages(*options: str) -> Iterator[str]:
        """Lists the tracked pages of the site or, with `--others`, those that are not tracked."""
        for name in run_git(top, "ls-files", "-z", *options, "--", below):
            path = posixpath.relpath(name.decode("utf-8", "surrogateescape"), below)
            if is_page(path):
                yield path

    is_inside = not below.startswith("..")
    if is_inside and any(pages()):
        return set(pages("--others"))
    return set()


def top_of(folder: str) -> str:
    """Finds the root of the repository around a folder: the nearest folder with `.git`.

    `/srv/shop/public` → `/srv/shop`. Raises GitError if there is none.

    git is not asked for the root, because it would also take a folder that looks like a bare
    repository. A site may contain such files, and git would run the programs that are named in
    their configuration.
    """
    top = ancestors(os.path.realpath(folder))[-1]  # they end at the first one with `.git`
    if not os.path.exists(os.path.join(top, ".git")):
        raise GitError("this is not a git repository", "run the build in a git repository")
    return top


def run_git(top: str, *command: str, end: bytes = b"\0") -> Iterator[bytes]:
    """Runs a git command in a repository, and yields its output in parts as it arrives.

    `top` is the root of the repository. `end` ends each part: `ls-files -z` → `a.md`, `b.md`. If it
    is empty, the parts are blocks of any size. Raises GitError if git is missing or fails. This is
    the only function that starts a program.
    """
    place = ("-C", top, f"--git-dir={os.path.join(top, '.git')}", f"--work-tree={top}")
    call = ("git", *_OPTIONS, *place, *command)
    # git uses no other repository here, and fetches nothing.
    environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    environment |= {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                call,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        except FileNotFoundError:
            raise GitError("git is not installed", "install it") from None
        except OSError as error:
            raise GitError(f"git cannot be run ({error})", "install it") from None
        assert process.stdout
        with process, closing(process.stdout) as stdout:
            rest = b""
            while block := stdout.read(1 << 16):
                if not end:
                    yield block
                    continue
                *whole, rest = (rest + block).split(end)
                yield from whole
            if rest:  # the last part, if nothing ends it
                yield rest
            stdout.close()
            if process.wait():
                errors.seek(0)
                raise GitError(_reason(errors.read()))


def _reason(errors: bytes) -> str:
    """Says what went wrong, in words for the user. `errors` is what git printed.

    Two errors get other words than git's: a partial clone that lacks objects, and a repository
    without a commit. Otherwise, this is the first line that begins with `fatal: `, without this
    word: `fatal: bad object HEAD` → `bad object HEAD`. If there is no such line, it is the first
    line.
    """
    # `fatal: could not fetch 1a… from promisor remote`: git was not allowed to fetch it.
    if b"promisor" in errors or b"lazy fetching" in errors:
        lacks = "this partial clone lacks a part of its history"
        return f"{lacks}: run git fetch --refetch --filter=blob:none"
    lines = os.fsdecode(errors).strip().splitlines()
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    message = (fatal or lines or ["git failed without a message"])[0]
    if message == "Not a valid object name HEAD":
        return "the repository has no commit yet"
    return message


def git_path(name: str) -> bytes:
    """Converts a path to the bytes that git prints, also if these are no UTF-8."""
    return name.encode("utf-8", "surrogateescape")


def path_below(top: str, path: str) -> str:
    """Makes the path of a file from the root of its repository, with links resolved.

    `/srv/shop/public/a.html` in the repository `/srv/shop` → `public/a.html`. The path has forward
    slashes on Windows, too. A path outside of the repository begins with `..`.
    """
    return relative(os.path.realpath(path), top).replace(os.sep, "/")
