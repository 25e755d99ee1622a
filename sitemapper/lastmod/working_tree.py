"""The files of a working tree that differ from the last commit."""

import os
from collections.abc import Iterator, Sequence

from ..fs import open_inside
from .repository import GitError, configuration, run_git

_LIMIT = 1 << 28  # bytes of a file to compare
_DIGITS_OF_SHA1 = 40  # in a repository with SHA-256, hashes have 64


def edited_files(top: str, paths: Sequence[str] = ()) -> Iterator[tuple[bytes, bytes]]:
    """Finds the files that may differ from the last commit. Yields their paths with a hash.

        certainly different, new or deleted        an empty hash
        another time than git noted in its index   the hash of its content in the last commit

    In the second case, as after a copy, the caller must compare the contents, with `has_content`.
    `paths` are the files and folders to compare. Without any, all are compared. Raises GitError.

    `git diff` would compare contents itself, but also write the index. `diff-index` trusts times.
    It reads a file only if that was written in the same second as the index, and would then run the
    filters that the configuration names, which are programs. So these are turned off.
    """
    options = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=all")
    command = (*_options_without_filters(top), "diff-index", *options, "HEAD", "--", *paths)
    tokens = run_git(top, *command)
    for facts in tokens:
        _, _, before, after, status = facts.split()
        path = next(tokens)
        # Zeros say that git has not read the file.
        is_read = after.strip(b"0") != b""
        may_be_equal = status == b"M" and not is_read
        yield path, before if may_be_equal else b""


def _options_without_filters(top: str) -> list[str]:
    """Makes the options of git that turn off each filter in the configuration of a repository.

    `filter.lfs.clean` → `-c filter.lfs.clean= -c filter.lfs.process= …`. Raises GitError for a
    filter that cannot be turned off.
    """
    filters: dict[str, None] = {}
    for key in configuration(top):
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
    digest = sha1 if len(blob) == _DIGITS_OF_SHA1 else sha256
    for text in (data, data.replace(b"\r\n", b"\n")):
        header = b"blob %d\0" % len(text)
        if digest(header + text, usedforsecurity=False).hexdigest().encode() == blob:
            return True
    return False
