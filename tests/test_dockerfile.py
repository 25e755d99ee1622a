"""The Dockerfile and its .dockerignore, read line by line; tests/real/test_docker.py runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import sitemapper

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text()


def all_of(word: str) -> list[str]:
    """What follows a word such as RUN, at each of its places, on one line."""
    text = re.sub(r"(?m)^#.*\n", "", TEXT).replace("\\\n", "")
    return re.findall(rf"(?m)^{word}\s+(.*)", text)


def test_the_images_are_slim_and_have_a_version_that_we_support() -> None:
    classifiers = (ROOT / "pyproject.toml").read_text()
    for image in all_of("FROM"):
        version = re.fullmatch(r"python:(3\.\d+)-slim-\w+(?: AS build)?", image)
        assert version, image
        assert f'"Programming Language :: Python :: {version[1]}"' in classifiers


def test_it_installs_the_wheel_of_this_version() -> None:
    wheels = re.findall(r"static_sitemapper-([\w.]+)-py3-none-any\.whl", TEXT)
    assert wheels == [sitemapper.__version__] * 2


def test_it_runs_the_command_itself_and_not_as_root() -> None:
    """In the exec form, signals reach the command, and its arguments are those of `docker run`."""
    assert [json.loads(text) for text in all_of("ENTRYPOINT")] == [["sitemapper"]]
    assert [json.loads(text) for text in all_of("CMD")] == [["--help"]]
    assert all_of("USER") == ["1000:1000"]
    assert all_of("WORKDIR")[-1] == "/site"


def test_nothing_is_left_of_what_the_installers_fetched() -> None:
    for command in all_of("RUN"):
        if "apt-get" in command:
            assert "--no-install-recommends" in command
            assert "rm -rf /var/lib/apt/lists/*" in command
        if "pip " in command:
            assert "--no-cache-dir" in command


def test_the_context_has_what_is_copied_and_nothing_else() -> None:
    copied = {
        source
        for rest in all_of("COPY")
        if not rest.startswith("--from")
        for source in rest.split()[:-1]
    }
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_the_documents_run_it_in_two_lines() -> None:
    page = (ROOT / "docs/getting-started.md").read_text()
    lines = re.findall(r"^(?:cd .* && )?docker .*$", page, re.M)
    assert lines == re.findall(r"docker .*", TEXT.partition("FROM")[0])
