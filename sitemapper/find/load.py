"""The entry to this room: from the values of a call to the settled setup of a run."""

import os
from collections.abc import Mapping
from typing import Any

from .settings import Call, ProjectSearch, find_settings
from .settle import Setup, settle


def load(
    values: Mapping[str, Any] | None = None,
    *,
    label: str = "settings",
    defaults: Mapping[str, Any] | None = None,
    config: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    flags: Mapping[str, str] | None = None,
    search: ProjectSearch | None = None,
) -> Setup:
    """Reads all settings of a call, and decides which values hold for the site and the run.

    A later layer overrides an earlier one: `defaults`, the project, the configuration file, the
    environment, `values`. The lists `ignore` and `include` of all layers add up.

    - `values` have the shape of the file, such as `{"base_url": "https://a.example/"}`; messages
      about them begin with `label`
    - `flags` are the flags of the command line, by key
    - `defaults` have the same shape, and replace our own
    - `config` is the path of the file; otherwise the file is the nearest one from `cwd` upwards, or
      in the folder of the project; without `config` and `cwd`, no file is read
    - with `search`, the project of the site is searched for, and its settings are a layer; without
      it, there is no such layer

    Raises ConfigError with all faults, or SiteError if there is no site.
    """
    call = Call(
        values=values or {},
        label=label,
        defaults=defaults or {},
        config=config,
        env=env or {},
        cwd=os.path.abspath(cwd or os.curdir),
        searches_file=cwd is not None or config is not None,
        flags=flags or {},
    )
    return settle(find_settings(call, search))
