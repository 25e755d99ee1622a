"""What identifies a host: its files, the environment of its builder, its answers."""

from typing import NamedTuple

# The key of the site's folder among the texts that a host's reader takes. The folder is relative to
# the project file.
SITE = ""


class Hosting(NamedTuple):
    """What a project file publishes: the key of the folder, and the possible folders, in order.

    The folders are relative to that of the file. Empty if the file does not name one.
    """

    key: str = ""
    folders: tuple[str, ...] = ()


class AnswerHeader(NamedTuple):
    """A header in all answers of a host, and a text that its value contains: `server`, `Apache`."""

    header: str
    text: str = ""


class Clue(NamedTuple):
    """A file of the site or the project that contains one of some words, if its host is this one.

    `path` may also be a folder of such files. Without words, any file will do: `CNAME`.
    """

    path: str
    words: tuple[str, ...] = ("",)


class Provider(NamedTuple):
    """A host, and what identifies it.

    | field              | what it names                                                      |
    |--------------------|--------------------------------------------------------------------|
    | `markers`          | files of a project on this host: `netlify.toml`                    |
    | `files`            | files of the site with rules: `_redirects`                         |
    | `files_in_folders` | those that every folder of the site may have. They identify a host |
    |                    | without markers                                                    |
    | `unread`           | files that may decide about URLs, but are not read: `_worker.js`   |
    | `ignores`          | files at the top of the site that say what is not uploaded         |
    | `shared`           | files of other hosts whose rules apply here, too                   |
    | `variables`        | variables that the host's builder sets                             |
    | `previews`         | variables and values in the build of a preview                     |
    | `addresses`        | variables with the URLs of a preview                               |
    | `answer`           | a header in all answers of the host                                |
    | `domain`           | a domain below which the host serves sites: `github.io`            |
    | `clues`            | files with words, which count if nothing else shows the host       |
    """

    name: str
    markers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    files_in_folders: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    previews: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    answer: AnswerHeader | None = None
    domain: str = ""
    clues: tuple[Clue, ...] = ()

    @property
    def site_files(self) -> tuple[str, ...]:
        """The files that are read at the top of the site."""
        return (*self.files, *self.ignores, *self.shared)

    def is_at(self, netloc: str) -> bool:
        """Whether a host name is below the domain of this host: `you.github.io` of GitHub Pages."""
        return bool(self.domain) and netloc.lower().endswith(f".{self.domain}")

    def is_recognised(self, names: frozenset[str]) -> bool:
        """Whether one of the files of a project or site identifies the host."""
        return not names.isdisjoint((*self.markers, *self.files_in_folders))
