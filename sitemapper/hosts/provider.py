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


class AnswerSign(NamedTuple):
    """A header in all answers of a host, and a text that its value contains."""

    header: str
    text: str = ""


class Clue(NamedTuple):
    """A file of the site or the project, or a folder of files, and words of which it has one."""

    path: str
    words: tuple[str, ...] = ("",)


class Provider(NamedTuple):
    """A host: its project files (`markers`), and the files of the site with its rules (`files`).

    A host without markers is recognised by its files, which may be in any folder of the site.
    `unread` are files that may decide about URLs but are not read. `ignores` are files at the top
    of the site that name what is not uploaded. `shared` are files of other hosts whose rules apply
    here, too; they do not identify this one.

    `variables` are in the environment of the host's builder, `previews` are variables and values
    that show the build of a preview, and `addresses` have its URLs. `answer` identifies the host in
    an answer, and `domain` a base URL below it.

    `clues` are files of the site or the project with words, one of which they contain. They count
    if nothing else says anything about the host.
    """

    name: str
    markers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    previews: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    answer: AnswerSign | None = None
    domain: str = ""
    clues: tuple[Clue, ...] = ()

    @property
    def is_recognised_in_site(self) -> bool:
        """Whether only files of the site identify the host."""
        return bool(self.files) and not self.markers

    def is_at(self, netloc: str) -> bool:
        """Whether a host name is below the domain of this host."""
        return bool(self.domain) and netloc.lower().endswith(f".{self.domain}")

    def is_recognised(self, names: frozenset[str]) -> bool:
        """Whether files of the project, or else of the site, identify the host."""
        return not names.isdisjoint(self.markers or self.files)
