"""The result of a build and of a check."""

from __future__ import annotations

from support import BASE, MTIME, Run, Site, write_site


def test_check_and_a_dry_run_have_one_summary_but_for_the_verdict(site: Site, run: Run) -> None:
    root = site({"a.html": "", "b.html": "", "404.html": ""})
    assert run("build", root, "--base-url", BASE) == 0
    write_site(root, {"c.html": ""}, mtime=MTIME + 86_400)
    (root / "b.html").unlink()
    assert run("check", root, "--base-url", BASE, "-v") == 1
    *checked, verdict = run.out.splitlines()
    assert verdict.startswith("  differs from what a build would write now, ")
    assert run("build", root, "--base-url", BASE, "-v", "--dry-run") == 0
    *dry, end = run.out.splitlines()
    assert end.startswith("  nothing was written (--dry-run), ")
    assert checked == dry
    assert f"- {BASE}b.html" in " ".join(dry) and f"+ {BASE}c.html" in " ".join(dry)
    assert "    ignored: 404.html (built-in default: 404.html)" in dry
