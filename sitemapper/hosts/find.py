"""Finds the host of a site: by the setting, the builder, the domain, a host file, or a sign."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from itertools import product
from typing import Any, NamedTuple

from ..files import ancestors, contents, is_inside, read_inside
from ..messages import Message, joined
from ..model import Origin, Stated
from ..syntax.tables import read_table, text_at, value_at
from ..syntax.urls import host_of
from .files import HostFiles
from .host import Host, Rule, Rules
from .table import TABLE, UNKNOWN, HostRow


class _SiteFile(NamedTuple):
    """A host's own file that describes a site, and the folders that this site may be in."""

    row: HostRow
    name: str
    table: Mapping[str, Any]
    folders: list[Stated]  # empty if it can be any folder


def find_host(
    folder: str,
    setting: str,
    setting_origin: Origin | None,
    base_url: str,
    environment: Mapping[str, str],
    folders: Sequence[str],
) -> tuple[Host, tuple[Message, ...]]:
    """Finds the host of the site in `folder`, with its URL forms and rules, and what to warn of.

    `setting` is the value of `host` in the configuration, and `setting_origin` where it stands.
    Files such as vercel.json are looked for in `folders`: the site's folder, then those above it,
    up to the root of the repository. A file that is broken, or that publishes another folder, does
    not count.
    """
    if setting == "none":
        return Host("none", setting_origin, is_certain=True), ()
    messages: list[Message] = []

    # Which host it is. It is certain, so that it wins over canonicals, by a setting or a builder.
    row, origin = _named_host(setting, setting_origin, base_url, environment)
    is_certain = row is not None and origin != Origin("base_url")
    site_files = _nearest_files(folder, folders, [row] if row else TABLE, messages)
    if row is None:
        row, origin = _host_by_signs(site_files, folders, messages)

    # What its files say: one such as vercel.json, if there is one, and two in the site.
    no_file = _SiteFile(row, name="", table={}, folders=[])
    site_file = next((file for file in site_files if file.row is row), no_file)
    files = HostFiles(
        redirects=_read_text(folder, "_redirects", messages),
        headers=_read_text(folder, "_headers", messages),
        name=site_file.name,
        table=site_file.table,
        base_url=base_url,
    )
    rules = row.read(files)
    form_setting = _form_setting(site_file.table)

    host = Host(
        name=row.name,
        origin=origin,
        is_certain=is_certain,
        forms=row.forms.get(form_setting, row.forms[""]),
        moves=Rules(_without_catch_alls(rules.moves, messages)),
        headers=Rules(rules.headers),
    )
    return host, tuple(messages)


def published_folders(folder: str) -> list[Stated]:
    """Lists the folders that host files in `folder`, such as vercel.json, name as the site.

    They are absolute paths. A netlify.toml with a `base` gives two, because it may mean either.
    """
    files = _files_in(folder, TABLE, messages=[])  # `find_host` warns of broken files
    return [stated for file in files for stated in file.folders]


def _named_host(
    setting: str, setting_origin: Origin | None, base_url: str, environment: Mapping[str, str]
) -> tuple[HostRow | None, Origin | None]:
    """The host that the setting names, or the builder that runs us, or the domain of the site.

    Netlify sets the variable `NETLIFY`, and its sites are below netlify.app. The second value is
    what names the host. Both are None if nothing does.
    """
    for row in TABLE:
        if row.name == setting:
            return row, setting_origin
    for row in TABLE:
        for variable in row.variables:
            if environment.get(variable, "").lower() in ("1", "true"):
                return row, Origin(variable)
    for row in TABLE:
        if row.domain and host_of(base_url).endswith(f".{row.domain}"):
            return row, Origin("base_url")
    return None, None


def _host_by_signs(
    site_files: Sequence[_SiteFile], folders: Sequence[str], messages: list[Message]
) -> tuple[HostRow, Origin | None]:
    """The host that files show: its own one, such as vercel.json, or else a sign, such as `CNAME`.

    If they show several hosts, the host is not known, and a warning says so.
    """
    signs = [(file.row, file.name) for file in site_files] or list(_signs(folders))
    hosts = sorted({row.name for row, _ in signs})
    if len(hosts) == 1:
        row, file_name = signs[0]
        return row, Origin(file_name)
    if hosts:
        files = joined(sorted({file_name for _, file_name in signs}), "and")
        text = f"{files} show different hosts, so no redirect excludes a page"
        messages.append(Message("warning", "host", text, f'set host = "{hosts[0]}", or the other'))
    return UNKNOWN, None


def _signs(folders: Sequence[str]) -> Iterator[tuple[HostRow, str]]:
    """Yields each host of which a sign is in one of the folders, with the name of the file.

    A sign is a file whose contents match an expression: for GitHub Pages, a workflow that deploys
    to it.
    """
    for row, folder in product(TABLE, folders):
        for pattern, expression in row.signs:
            for name in sorted(glob(pattern, root_dir=folder)):
                if re.search(expression, contents(folder, name)):
                    yield row, name


def _nearest_files(
    folder: str, folders: Sequence[str], rows: Sequence[HostRow], messages: list[Message]
) -> list[_SiteFile]:
    """Lists files such as vercel.json for the site in `folder`, from the first folder with any.

    Only those of the hosts in `rows` are looked for, in each of `folders`. A file that publishes
    another folder is not for this site.
    """
    for parent in folders:
        files: list[_SiteFile] = []
        for file in _files_in(parent, rows, messages):
            # A file that names no folder publishes its own.
            published = [stated.value for stated in file.folders] or [parent]
            if any(is_inside(folder, os.path.realpath(path)) for path in published):
                files.append(file)
        if files:
            return files
    return []


def _files_in(parent: str, rows: Sequence[HostRow], messages: list[Message]) -> Iterator[_SiteFile]:
    """Yields files such as vercel.json in a folder, if they are for a site.

    One with an API only is not. A file that cannot be read or parsed adds a warning to `messages`.
    """
    root = ancestors(parent)[-1]
    for row in rows:
        for name in row.files:
            path = os.path.join(parent, name)
            if not os.path.isfile(path):
                continue
            text = _read_text(root, os.path.relpath(path, root), messages)
            try:
                table = read_table(name, text)
            except ValueError as error:
                messages.append(_ignored(str(error)))
                continue
            if row.describes_site(table):
                yield _SiteFile(row, name, table, _folders_of(row, name, table, parent))


def _folders_of(row: HostRow, name: str, table: Mapping[str, Any], parent: str) -> list[Stated]:
    """The folder that a host's file publishes, as the absolute paths that it may mean.

    Netlify's `publish` may begin at `base` or at the file. So `publish = "b"` with `base = "a"`
    gives both `a/b` and `b`, below the folder `parent` of the file.
    """
    base = text_at(table, "build.base").strip("/")
    for key in row.folder_keys:
        folder = text_at(table, key).strip("/")
        if folder:
            from_base = os.path.normpath(f"{parent}/{base}/{folder}")
            from_file = os.path.normpath(f"{parent}/{folder}")
            origin = Origin(name, None, key)
            if from_base == from_file:
                return [Stated(from_file, origin)]
            return [Stated(from_base, origin), Stated(from_file, origin)]
    return []


def _read_text(root: str, name: str, messages: list[Message]) -> str:
    """The text of a file below `root`, "" if it does not exist.

    If it cannot be read, this is "", too, with a warning in `messages`.
    """
    try:
        data = read_inside(root, name) or b""
    except OSError as error:
        messages.append(_ignored(f"{name} cannot be read: {error.strerror}"))
        return ""
    return data.decode("utf-8-sig", "replace")


def _ignored(problem: str) -> Message:
    """The warning that a host's file is ignored, because of a problem with it."""
    text = f"{problem}; the file does not count"
    return Message("warning", "host-file", text, 'correct it, or set host = "none"')


def _form_setting(table: Mapping[str, Any]) -> str:
    """The setting in a host's own file that chooses URL forms, as a key of `HostRow.forms`.

    `{"cleanUrls": true, "trailingSlash": false}` in vercel.json gives `clean, no slash`. This is ""
    if nothing is set.
    """
    of_cloudflare = text_at(table, "assets.html_handling")
    if of_cloudflare:
        return of_cloudflare
    settings: list[str] = []
    site = table.get("hosting", table)  # Firebase has a table for it, Vercel has none
    if value_at(site, "cleanUrls") is True:
        settings.append("clean")
    final_slash = value_at(site, "trailingSlash")
    if isinstance(final_slash, bool):  # and not None, if nobody set it
        settings.append("slash" if final_slash else "no slash")
    return ", ".join(settings)


def _without_catch_alls(moves: Sequence[Rule], messages: list[Message]) -> Iterator[Rule]:
    """Yields the rules, and takes its action from each that is for all paths, such as `/*`.

    Else all pages would be excluded, and a URL that is lost would count as redirected. The rule
    itself stays, because on the host no rule after it applies.
    """
    for rule in moves:
        if not rule.source.is_of_all_paths:
            yield rule
            continue
        # Without force, such as `/* /index.html 200`, it takes no page away, and is common.
        if rule.is_forced and rule.action:
            text = f"{rule.origin} is for all paths, so it takes no page away"
            help = "set base_url to the new address if the site has moved, or remove the line"
            messages.append(Message("warning", "catch-all", text, help))
        yield rule._replace(action=None)
