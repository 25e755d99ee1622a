"""What the pages say of the installation, before and after the package is on PyPI.

`IS_RELEASED` decides what every command of the pages installs, and what stands in these parts:

    <!-- install -->    how to install, update and remove it
    <!-- wheel -->      where the workflows of CI get it from
    <!-- hook -->       a configuration for pre-commit
    <!-- action -->     the step of a workflow
    <!-- end -->

Before the release, people install a clone, and workflows the wheel of `make dist` in `tools/`.
"""

from __future__ import annotations

import re

from sitemapper import __version__

IS_RELEASED = False  # whether PyPI has static-sitemapper
PACKAGE = "static-sitemapper"
WHEEL = f"tools/static_sitemapper-{__version__}-py3-none-any.whl"
REPOSITORY = "_OWNER_/sitemapper"

_INSTALLED = re.compile(
    r"((?:\binstall|--from|--spec)\b[^\n`]*?[ '\"])"
    r"(?:static-sitemapper|tools/static_sitemapper-[\w.]+-py3-none-any\.whl)(?![\w/.-])"
)
_PART = re.compile(r"(<!-- (install|wheel|hook|action) -->\n).*?(?=<!-- end -->)", re.S)

_INSTALL_WHEEL = """\
sitemapper is not on PyPI yet, so install it from a clone of this repository. You need Python 3.11
or newer, and [pipx](https://pipx.pypa.io/) or [uv](https://docs.astral.sh/uv/):

```sh
make demo        # builds the sitemap of a sample site, and prints it
pipx install .   # or: uv tool install .
```

To update, pull, and run `pipx install --force .` again. The package is called `static-sitemapper`.
"""
_INSTALL_RELEASE = """\
You need Python 3.11 or newer, and [pipx](https://pipx.pypa.io/) or [uv](https://docs.astral.sh/uv/):

```sh
pipx install static-sitemapper   # or: uv tool install static-sitemapper
```

The command is `sitemapper`. `pipx upgrade static-sitemapper` updates it.
"""
_WHEEL = f"""\
sitemapper is not on PyPI yet. Build a wheel in a clone of this repository, and commit it to your
project:

```sh
make dist
mkdir -p ../my-site/tools
cp dist/*.whl ../my-site/tools/
```

The workflows on this page install this file by its name, `{WHEEL}`.
"""
_PUBLISHED = """\
The workflows on this page install the newest release of `static-sitemapper` from PyPI.
"""
_LOCAL_HOOK = """\
Until this repository is public, a local hook runs the `sitemapper` that you installed:

```yaml title=".pre-commit-config.yaml"
repos:
  - repo: local
    hooks:
      - id: sitemapper-build
        name: sitemapper build
        entry: sitemapper build --tracked # or: sitemapper check --tracked
        language: system
        pass_filenames: false
        always_run: true
```
"""
_PUBLIC_HOOK = f"""\
```yaml title=".pre-commit-config.yaml"
repos:
  - repo: https://github.com/{REPOSITORY}
    rev: v{__version__}
    hooks:
      - id: sitemapper-build
```
"""
_LOCAL_ACTION = f"""\
Until this repository is public, `--format github` does the same:

```yaml
- run: pipx install {WHEEL}
- id: sitemap
  run: sitemapper build --format github
```
"""
_PUBLIC_ACTION = f"""\
```yaml
- id: sitemap
  uses: {REPOSITORY}@v{__version__}
```

The action installs sitemapper from its own checkout into a separate environment.
"""


def installable(text: str, is_released: bool) -> str:
    """The text with commands and workflows that install the release, or the wheel before it."""
    package = PACKAGE if is_released else WHEEL
    parts = {
        "install": _INSTALL_RELEASE if is_released else _INSTALL_WHEEL,
        "wheel": _PUBLISHED if is_released else _WHEEL,
        "hook": _PUBLIC_HOOK if is_released else _LOCAL_HOOK,
        "action": _PUBLIC_ACTION if is_released else _LOCAL_ACTION,
    }

    def write_part(found: re.Match[str]) -> str:
        opening, kind = found.groups()
        return f"{opening}{parts[kind]}"

    return _INSTALLED.sub(rf"\g<1>{package}", _PART.sub(write_part, text))
