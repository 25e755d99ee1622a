"""The list of changes that wait: what stays, what is replaced, and what is being sent."""

from __future__ import annotations

from sitemapper.output.queue import begin_sending, end_sending, merge_lists, without_accepted

A, B, OTHER = "https://a.example/", "https://a.example/b", "https://other.example/"


def rows(*pairs: str) -> list[str]:
    """`rows("added a")` → `["added\\ta\\n"]`."""
    return [pair.replace(" ", "\t") + "\n" for pair in pairs]


def test_a_newer_row_replaces_an_older_one_and_others_stay() -> None:
    waiting = rows(f"added {A}", f"changed {B}", f"added {OTHER}")
    new = rows(f"removed {A}", f"removed {B}")
    assert list(merge_lists(waiting, new)) == rows(f"added {OTHER}", f"removed {B}")


def test_a_list_of_the_whole_site_is_dropped() -> None:
    waiting = [*rows(f"added {A}"), "# no baseline: there was no earlier sitemap\n"]
    assert list(merge_lists(waiting, rows(f"added {B}"))) == rows(f"added {B}")


def test_a_row_that_is_being_sent_is_not_the_one_that_a_build_adds() -> None:
    sending = list(begin_sending(rows(f"added {A}", f"added {OTHER}"), A))
    assert sending == rows(f"added {A} sending", f"added {OTHER}")
    meanwhile = list(merge_lists(sending, rows(f"removed {A}")))
    assert meanwhile == rows(f"added {A} sending", f"added {OTHER}", f"removed {A}")
    left = list(without_accepted(meanwhile, {("added", A), ("removed", A)}))
    assert left == list(end_sending(left)) == rows(f"added {OTHER}", f"removed {A}")


def test_what_was_not_accepted_is_merged_with_what_a_build_added() -> None:
    lines = rows(f"added {A} sending", f"changed {B} sending", f"removed {A}")
    assert list(end_sending(lines)) == rows(f"changed {B}")
