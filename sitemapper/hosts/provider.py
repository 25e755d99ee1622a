"""What identifies a host: its files, the environment of its builder, its answers."""

from typing import NamedTuple

# The key of the site's folder among the texts that a host's reader takes. The folder is relative to
# the project file.
SITE = ""


class Hosting(NamedTuple):
    """A folder that a project file publishes: `publish = "out"` → the key `publish` and `out`.

    `folders` has several folders if the file can mean any of them: the first that exists counts.
    They are relative to the folder of the file. `key` and `folders` are empty if the file describes
    hosting, and names no folder.
    """

    key: str = ""
    folders: tuple[str, ...] = ()


class AnswerHeader(NamedTuple):
    """A header that a host sends with each answer, and a text in its value: `server`, `Apache`.

    With the text "", any value will do.
    """

    header: str
    text: str = ""


class Clue(NamedTuple):
    """A file from whose words we guess the host: `.gitlab-ci.yml` with `pages:` → gitlab.

    It is a file of the site or the project that contains one of the `words`. `path` may also be a
    folder, of which one file has to contain one. With the word "", any text will do, so it is
    enough that the file is there: `CNAME`.
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
        """The files to read at the top of the site: `_redirects`, `_headers`, `.assetsignore`."""
        return (*self.files, *self.ignores, *self.shared)

    def is_at(self, netloc: str) -> bool:
        """Whether a host name is below the domain of this host: `you.github.io` of GitHub Pages."""
        return bool(self.domain) and netloc.lower().endswith(f".{self.domain}")

    def is_recognised(self, names: frozenset[str]) -> bool:
        """Whether one of these names is that of a file that only this host has: `netlify.toml`.

        `names` are those of files in the project and the site.
        """
        return not names.isdisjoint((*self.markers, *self.files_in_folders))
