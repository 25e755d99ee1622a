"""How files differ: between two commits, and between the last commit and the working tree."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..fs import open_inside
from .repository import GitError, Setting, run_git

_LIMIT = 1 << 28  # bytes of a file to compare
NO_BLOB = b"0" * 40  # of a file that is not there; in a repository with SHA-256, 64 zeros


class Difference(NamedTuple):
    """A file that differs between two commits, or between a commit and the working tree.

    `before` and `after` are its contents as hashes, zeros for none. For the working tree, `after`
    is also zeros if git has not compared the contents.
    """

    path: bytes
    before: bytes
    after: bytes
    status: bytes


def differences(
    top: str, command: Sequence[str], paths: Sequence[str] = ()
) -> Iterator[Difference]:
    """Runs a git command that compares files, and reads its differences. Raises GitError.

    `diff-tree -r A B`, where B edited `a.md` → one difference, with the path `a.md` and status
    `M`. `paths` are the files and folders to compare. Without any, all are compared.
    """
    options = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=all")
    tokens = run_git(top, *command, *options, "--", *paths)
    for facts in tokens:
        _, _, before, after, status = facts.split()
        path = next(tokens)
        yield Difference(path=path, before=before, after=after, status=status)


def edited_files(
    top: str, settings: Iterable[Setting], paths: Sequence[str] = ()
) -> Iterator[tuple[bytes, bytes]]:
    """Finds the files that may differ from the last commit. Yields paths with a hash.

    - The hash of its content in that commit: git saw only another time or inode, as after a copy.
      The caller must compare the contents, with `has_content`.
    - An empty hash: the file certainly differs, or is new or deleted.

    `settings` are the configuration of the repository, and `paths` the files and folders to
    compare. Without any, all are compared. Raises GitError.

    `git diff` would compare contents itself, but also write the index. `diff-index` compares only
    files that were written just when the index was. For these, it would run the filters that the
    configuration names, which are programs.
    """
    command = (*_options_without_filters(settings), "diff-index", "HEAD")
    for difference in differences(top, command, paths):
        # Zeros say that git has not read the file.
        is_compared = difference.after.strip(b"0") != b""
        may_be_equal = difference.status == b"M" and not is_compared
        yield difference.path, difference.before if may_be_equal else b""


def _options_without_filters(settings: Iterable[Setting]) -> list[str]:
    """Makes the options of git that turn off each filter of a configuration.

    `filter.lfs.clean` → `-c filter.lfs.clean= -c filter.lfs.process= …`. Raises GitError for a
    filter that cannot be turned off.
    """
    filters: dict[str, None] = {}
    for key, _ in settings:
        name = key.rpartition(".")[0]
        if not name.startswith("filter."):
            continue
        if "=" in name:  # `git -c NAME=VALUE` would end the name at the first one
            raise GitError(f"the name of the filter {name} contains “=”", "rename it")
        filters[name] = None
    options: list[str] = []
    for name in filters:
        for setting in ("clean=", "process=", "required=false"):
            options += ["-c", f"{name}.{setting}"]
    return options


def has_content(top: str, path: bytes, blob: bytes) -> bool:
    """Whether a file of a repository has the content with this hash, so that it is not edited.

    Its lines may end in CRLF, which git writes on Windows, instead of LF. False for a file that
    cannot be read, or is larger than 256 MB.
    """
    # Imported here, because it loads OpenSSL.
    from hashlib import sha1, sha256

    file = os.path.join(top, os.fsdecode(path))
    try:
        if os.path.islink(file):  # its content is its target
            data: bytes | None = os.fsencode(os.readlink(file))
        else:
            data = open_inside(top, file, _LIMIT)
    except OSError:
        return False
    if data is None:
        return False
    # A blob's hash is that of a header and the content (gitformat-loose(5)).
    digest = sha1 if len(blob) == len(NO_BLOB) else sha256
    for text in (data, data.replace(b"\r\n", b"\n")):
        header = b"blob %d\0" % len(text)
        if digest(header + text, usedforsecurity=False).hexdigest().encode() == blob:
            return True
    return False
