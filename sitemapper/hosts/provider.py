"""The interface of a host: what each file of this folder says about the host of its name."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..syntax.urls import UrlForms
from .host import HostRules

# The key of the site's folder among the texts that a provider reads. The folder is relative to the
# project file.
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


class Manual(NamedTuple):
    """What the documentation says about a host, in Markdown.

    `meaning` explains the value of the setting `host`, `order` says which rule wins, `skipped`
    lists rules that are not read, and `production` tells how the host differs from its engine for
    local tests.
    """

    meaning: str
    order: str
    skipped: str
    production: str = ""


def _publishes_a_site(_: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """A project file that describes hosting, and does not name the folder."""
    return (Hosting(),)


class Provider(NamedTuple):
    """A host: its project files (`markers`), and the files of the site with its rules (`files`).

    A host without markers is recognised by its files, which may be in any folder of the site.

    `read` takes the texts of both by name, the site's host name, and the time of the run in
    seconds. It raises ValueError for a text that the host rejects. `forms` are the forms of URLs by
    the settings that choose them, for the documentation. `hosting` takes a project file and returns
    what it publishes: nothing if it does not describe hosting, more than one item if it has several
    targets. `unread` are files that may decide about URLs but are not read.

    `variables` are in the environment of the host's builder, `production` has the site's own URL,
    `previews` are variables and values that show the build of a preview, and `addresses` have its
    URLs. `answer` identifies the host in an answer.
    """

    name: str
    markers: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable[[Mapping[str, str], str, int], HostRules]
    forms: Mapping[str, UrlForms]
    manual: Manual
    hosting: Callable[[Mapping[str, Any]], tuple[Hosting, ...]] = _publishes_a_site
    unread: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    production: str = ""
    previews: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    answer: AnswerSign | None = None

    @property
    def is_recognised_in_site(self) -> bool:
        """Whether only files of the site identify the host."""
        return not self.markers

    def is_recognised(self, names: frozenset[str]) -> bool:
        """Whether files of the project, or else of the site, identify the host."""
        return not names.isdisjoint(self.markers or self.files)
