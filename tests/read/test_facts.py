"""One reading of a page gives all that is asked of it, and no more than that."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from support.facts import ALL, METADATA_ONLY
from support.heads import NOINDEX

from sitemapper.model import NO_FACTS
from sitemapper.read.facts import ReadOptions, extract_facts

NOTHING = ReadOptions(signals=None, dates=False, digest=None, images=False)
SHOWN = NOTHING._replace(titles_and_size=True)
PIECES = (
    "<main>", "</main>", "<nav>Menu ", "</nav>", "<body role=main>", "<h1>A</h1>", "Text ", "&nbsp;",
    "\n\t ", "&nGt;", "\0", "ü", "<script>if</script>", "<template><main>B</main></template>",
    '<ul><li><a href="/a.html">A</a></ul>', "<title>T</title>", "<aside>C", "<frameset>", "<svg><title>D",
)  # fmt: skip


@example("<frameset>", 9)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.integers(0, 60))
def test_a_size_up_to_what_is_enough_may_be_that_of_the_whole_text(html: str, enough: int) -> None:
    exact = extract_facts("a.html", html.encode(), SHOWN).shown
    found = extract_facts("a.html", html.encode(), SHOWN._replace(exact_size_above=enough)).shown
    assert (exact is None) == (found is None)
    if exact and found:
        assert found[0] == exact[0]
        assert found == exact or exact[1] <= found[1] <= enough


def test_a_file_that_is_no_html_has_a_digest_only() -> None:
    data = NOINDEX.encode()
    assert extract_facts("a.pdf", data, METADATA_ONLY) == NO_FACTS
    facts = extract_facts("a.pdf", data, ALL)
    assert facts == NO_FACTS._replace(digest=facts.digest)
    assert extract_facts("b.pdf", data + b" ", ALL).digest != facts.digest


def test_without_options_no_page_is_opened() -> None:
    assert not NOTHING.reads
