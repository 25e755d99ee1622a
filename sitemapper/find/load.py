"""The door: from the values of a call to what a run starts from."""

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
    """What a run starts from: defaults < project < file < environment < `values`.

    The lists `ignore` and `include` add up. The file is `config`, or else the nearest one from
    `cwd` upwards or in the folder of the project. Without both, no file is read. `values` have the
    shape of the file, `label` names them in messages, and `flags` are the command line's, by key.
    `defaults`, of the same shape, override ours. With `search`, the project of the site is
    searched for. Raises ConfigError with all errors, and SiteError.
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
