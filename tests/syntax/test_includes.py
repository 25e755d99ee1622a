"""What of a source stands elsewhere."""

from __future__ import annotations

import pytest

from sitemapper.syntax.includes import IncludedText, find_included_text


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('# News\n\n--8<-- "CHANGELOG.md"\n', ("CHANGELOG.md",)),
        ("--8<-- 'docs/a.md:start:end'\n", ("docs/a.md",)),
        ('--8<-- "c.md:1:9"\n', ("c.md",)),
        ("Text.\n```python\n--8<-- \"a.py\"\n```\n", ("a.py",)),
        ("{!README.md!}\n", ("README.md",)),
        ("{% include-markdown '../README.md' start='x' %}\n", ("../README.md",)),
        ('{{< readfile file="/a.txt" code="true" >}}\n{{% readfile "b.md" %}}\n', ("/a.txt", "b.md")),
        ("# A\n\n{{< include _a.qmd >}}\n\nText.\n", ("_a.qmd",)),
        ("News\n====\n\n.. include:: ../NEWS.rst\n   :start-line: 2\n", ("../NEWS.rst",)),
        (".. literalinclude:: a.py\n   :lines: 1\n\nText.\n.. include:: b.txt\n", ("a.py", "b.txt")),
        ("```{include} ../a.md\n:start-after: x\n```\n", ("../a.md",)),
    ],
)  # fmt: skip
def test_included_files(text: str, files: tuple[str, ...]) -> None:
    found = find_included_text(text)
    assert (found.files, found.is_generated) == (files, False)
    assert found.is_all == ("Text." not in text)
    assert 0 < found.size <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\n---\n# A\n\n::: package.module\n    options:\n      x: 1\n",
        "A\n=\n\n.. automodule:: package\n   :members:\n",
        ".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n",
        "```{toctree}\na\nb\n```\n",
        "```{eval-rst}\n.. autoclass:: a.B\n```\n",
    ],
)
def test_generated_text(text: str) -> None:
    found = find_included_text(text)
    assert found.is_generated
    assert found.files == ()
    assert found.is_all
    prose = find_included_text(f"{text}\nMore text.\n")
    assert prose.is_generated
    assert not prose.is_all


@pytest.mark.parametrize(
    "text",
    [
        "# Text\n\n.. note:: This is text.\n",
        "::: tip\nText.\n:::\n",
        "```rst\n.. include:: a.rst\n.. automodule:: a\n```\n",
        ".. include:: <isonum.txt>\n",
        "Write `--8<--` in a line.\n",
        "{% include 'head.html' %}\n",
    ],
)
def test_text_of_the_source_itself(text: str) -> None:
    assert find_included_text(text) == IncludedText()


def test_the_size_of_what_stands_elsewhere() -> None:
    text = "Title\n=====\n\n.. toctree::\n\n   a\n\nOwn text.\n"
    assert find_included_text(text).size == len(".. toctree::\n   a\n\n")
