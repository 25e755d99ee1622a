"""`sitemapper init`."""

import os
import secrets

import typer

from ..commands.init import propose
from ..errors import SitemapperError, write_advice
from ..output.write import create
from .parameters import command
from .signals import end_in_order

SITE = typer.Argument(None, metavar="SITE", help="Folder of the built site  [default: the generator's]")
INDEXNOW = typer.Option(False, "--indexnow", help="Make a key for `sitemapper submit`.")


@command("init", "init public")
def init(site: str | None = SITE, indexnow: bool = INDEXNOW) -> None:
    """Write a first sitemapper.toml.

    Propose settings for the generator of the project. An existing file is never replaced.
    """
    folder, text, remarks = propose(site, os.getcwd())
    name = os.path.relpath(os.path.join(folder, "sitemapper.toml"))
    key = f'key = "{secrets.token_hex(16)}"' if indexnow else ""
    text += f"\n[submit]\n{key}  # for IndexNow\n" if key else ""
    end_in_order()
    try:
        create(os.path.join(folder, "sitemapper.toml"), text)
    except FileExistsError:
        advice = f"add the table [submit] to it, with {key}" if key else "move it away first"
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(f"{name}: cannot be written: {error.strerror}", write_advice(error)) from None
    for sentence in remarks:
        typer.echo(sentence)
    typer.echo(f"wrote {name}; review it, then run: sitemapper build --dry-run")
