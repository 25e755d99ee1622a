"""The words of docs/glossary.md, and their links on the pages of the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from link_glossary import find_uses, link_words, read_words

DOCS = Path(__file__).parents[1] / "docs"
WORDS = read_words((DOCS / "glossary.md").read_text())


def test_the_glossary_has_the_words_of_every_page() -> None:
    wanted = "base URL, canonical, lastmod, ledger, listed, noindex, redirect, shard"
    assert ", ".join(WORDS) == wanted
    assert len(set(WORDS.values())) == len(WORDS)


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("A ledger. The ledger.", "A [ledger](glossary.md#ledger). The ledger."),
        ("Ledgers", "[Ledgers](glossary.md#ledger)"),
        ("The `ledger`", "The [`ledger`](glossary.md#ledger)"),
        ("a `<lastmod>`", "a [`<lastmod>`](glossary.md#lastmod)"),
        ("| ledger |", "| [ledger](glossary.md#ledger) |"),
        ("*ledger*", "*[ledger](glossary.md#ledger)*"),
    ],
)
def test_the_first_use_of_a_word_is_a_link(text: str, linked: str) -> None:
    assert link_words(text, WORDS) == linked


@pytest.mark.parametrize(
    "text",
    [
        "## The ledger",
        "`--ledger FILE` and `sitemapper.ledger`",
        "[the ledger](dates.md#ledger)",
        "[the `drop` of `[ledger]`, a ledger](dates.md)",
        "![a ledger](ledger.png)",
        "<!-- ledger -->",
        '<a id="ledger"></a>',
        "```toml\n[ledger]\nledger\n```",
        "- a:\n\n   ```toml\n   ledger\n   ```",
        "site-ledger.txt",
        "listing, relisted, ledger-like, ledger.txt",
    ],
)
def test_what_is_no_text_stays(text: str) -> None:
    assert link_words(text, WORDS) == text


@pytest.mark.parametrize("page", sorted(page.name for page in DOCS.glob("*.md")))
def test_every_page_links_each_word_that_it_uses_once(page: str) -> None:
    text = (DOCS / page).read_text()
    linked = link_words(text, WORDS)
    for word, anchor in WORDS.items():
        is_used = any(find_uses(text, word))
        assert linked.count(f"](glossary.md#{anchor})") == int(is_used)
