"""The projects with our plugin, and the records that the plugin leaves in the user's cache.

A record contains the settings of a build and the source files of each page. With it, `explain`,
`check` and a build by hand give the same results as the plugin.
"""

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, NamedTuple

from ..config.layers import Layer, make_layer, with_tuples
from ..config.settings import Settings
from ..fs import ancestors, open_regular, regular
from ..model import Origin, SourceFiles
from ..site import Run, Site
from ..syntax.gitignore import BUILT_IN
from .first_look import LIMIT, FirstLook
from .generators import ALL
from .project_files import ProjectFiles

# `extensions = ["sitemapper.integrations.sphinx"]`, but not in a comment.
_PYTHON = r"(?m)^[^#\n]*\bsitemapper\.integrations\.(sphinx|pelican)\b"
_YAML = r"""(?mx)
    ^[ \t]* (?: -[ \t]* )? ["']? sitemapper ["']? [ \t\r]* (?: [:#].* )? $    # - sitemapper:
  | ^plugins: .* [\[,\ ] sitemapper\b                                       # plugins: [sitemapper]
"""
_SUFFIX = ".plugin"
_WITH_PLUGIN = [generator for generator in ALL if generator.plugin]


class Labels(NamedTuple):
    """Where a project sets our options, and where it sets the base URL, for messages and records.

    In Sphinx: `conf.py: sitemapper_options` and `conf.py: html_baseurl`.
    """

    options: str
    base_url: str


class Record(NamedTuple):
    """What a plugin recorded of a build: its settings as a layer, and the pages' source files."""

    layer: Layer
    source_files: SourceFiles


def find_record(cache: str, cwd: str, site: str | None) -> Record | None:
    """Finds the record of a build that our plugin left, for the repository around `cwd`.

    | there are records of projects | result |
    |---|---|
    | in `cwd` or in folders above it | the nearest one |
    | elsewhere in the repository, but only one | this one |
    | elsewhere in the repository, several | None: the caller reads the project's files |

    With `site`, only builds of this folder count.
    """
    try:
        names = sorted(os.listdir(cache))
    except OSError:  # there is no cache yet
        return None
    # Names of records begin with the hash of their repository.
    prefix = _hash_path(ancestors(cwd)[-1])
    records: dict[str, Record] = {}
    for name in names:
        if name.startswith(prefix) and name.endswith(_SUFFIX):
            record = _read_record(os.path.join(cache, name), site)
            if record:
                records[os.path.realpath(record.layer.base)] = record
    for folder in ancestors(os.path.realpath(cwd)):
        if folder in records:
            return records[folder]
    return next(iter(records.values())) if len(records) == 1 else None


def uses_plugin(project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether the settings of a project activate our plugin: `plugins: [sitemapper]` in mkdocs.yml.

    The patterns also find it in a file that cannot be parsed.
    """
    if not project.generator.plugin:
        return False
    for name in project.generator.settings:
        pattern = _PYTHON if name.endswith(".py") else _YAML
        if name in project.settings and re.search(pattern, first_look.text(project.folder, name)):
            return True
    return False


def make_record(settings: Settings, site: Site, run: Run, labels: Labels) -> tuple[str, bytes]:
    """Makes the record of a build with our plugin, from which later commands take its settings.

    Some settings, and the source files of pages, are only known while the generator runs. With the
    record, `sitemapper check` has them, too. `run.cwd` is the folder of the project.

    Returns the name of the record's file in the cache, and its content, which is JSON.
    """
    # The settings and the record are no longer valid when one of these files changes.
    files = _list_settings_files(run.cwd, labels.options)
    files += [path for path, _bytes in run.read_from]
    # `[ledger] path` is relative to the folder of the configuration file. A run that reads the
    # record may have another such file, so it gets the whole path.
    ledger = os.path.join(site.project, settings.ledger.path)
    values = settings.model_dump(exclude_unset=True, by_alias=True)
    values["ledger"] = values.get("ledger", {}) | {"path": ledger}
    sources = site.source_files or SourceFiles("", {})
    record = {
        # The settings as in a configuration file in the folder `project`.
        "settings": values,
        "project": site.project,
        # What messages call the place of the settings, and that of the base URL.
        "label": labels.options,
        "label_of_base_url": labels.base_url,
        # The patterns of `ignore` that the plugin added. Messages call them built-in.
        "built_in": [
            line.text
            for line in site.ignore
            if line.origin.source == BUILT_IN and line.text in settings.ignore
        ],
        "files": files,
        "digest": _hash_files(files),
        # The source files of each page, as paths from `folder`.
        "sources": {page: list(map(str, names)) for page, names in sources.of.items()},
        "folder": os.path.abspath(sources.folder),
        "may_be_stubs": sources.may_be_stubs,  # whether pages may show more than these files
    }
    # `find_record` finds all records of a repository by the first of the two hashes, from any
    # folder of the repository.
    name = f"{_hash_path(ancestors(run.cwd)[-1])}{_hash_path(run.cwd)}{_SUFFIX}"
    return name, json.dumps(record, default=str).encode()


def _list_settings_files(project: str, label: str) -> list[str]:
    """Lists the files of a project that may have settings of its build: `/a/mkdocs.yml` and others.

    `label` begins with the file that has the options of our plugin: `mkdocs.yml: sitemapper`.
    """
    names = [label.partition(":")[0]]
    # It may read others: publishconf.py of Pelican imports pelicanconf.py. The files of all
    # generators are listed, since those of another generator are missing and do no harm.
    for generator in _WITH_PLUGIN:
        names += generator.settings
    return [os.path.join(project, name) for name in names]


def _read_record(file: str, site: str | None) -> Record | None:
    """Reads what our plugin recorded of a build of a site, None if the record is not valid.

    `file` is in the cache. With None as `site`, a record of any site is read.
    """
    # A damaged record raises one of these errors, and counts as none.
    with suppress(OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        with open_regular(file) as opened:
            record = json.load(opened)
            file_status = os.fstat(opened.fileno())
        # Another user who can write to it could choose what the next build reads and writes.
        if _is_private(file_status) and _is_current(record, site):
            return _unpack(record)
    return None


def _is_current(record: dict[str, Any], site: str | None) -> bool:
    """Whether a record is of a build of `site`, and the settings of this build still hold.

    The site must still be there, and no file may have changed from which the settings were read.
    None as `site` stands for any site.
    """
    recorded_site = Settings.model_validate(with_tuples(record["settings"])).site
    if site not in (None, recorded_site) or not os.path.isdir(recorded_site):
        return False
    return bool(record["digest"] == _hash_files(record["files"]))


def _unpack(record: dict[str, Any]) -> Record:
    """Makes a `Record` of the values that `make_record` has written to a file.

    The settings become a layer, as if they stood in a file in the folder `project`. Messages call
    this file by its label, such as `mkdocs.yml: sitemapper`.
    """
    label = record["label"]
    layer = make_layer(
        record["settings"],
        label=label,
        base=record["project"],
        origins={"site": Origin(label), "base_url": Origin(record["label_of_base_url"])},
        built_in=tuple(record["built_in"]),
    )
    source_files = SourceFiles(
        folder=record["folder"],
        of=with_tuples(record["sources"]),
        may_be_stubs=record["may_be_stubs"],
    )
    return Record(layer, source_files)


def _is_private(file_status: os.stat_result) -> bool:
    """Whether a file belongs to this user, and no one else can write to it.

    Always true on Windows, where the owner and the mode of a file do not show this.
    """
    if os.name == "nt":
        return True
    can_others_write = file_status.st_mode & 0o022
    return file_status.st_uid == os.geteuid() and not can_others_write


def _hash_path(folder: str) -> str:
    """Hashes a folder's path. All symbolic links to the folder give the same hash."""
    return blake2b(os.fsencode(os.path.realpath(folder)), digest_size=6).hexdigest()


def _hash_files(files: Sequence[str]) -> str:
    """Hashes the contents of files, so that a record is dropped when one of them changes.

    A file that is missing or cannot be read counts as an empty one. If it is written later, the
    hash is another.
    """
    hashes = b""
    for path in files:
        text = b""
        with suppress(OSError):
            text = regular(path, LIMIT) or b""
        hashes += blake2b(text).digest()
    return blake2b(hashes, digest_size=16).hexdigest()
