#!/usr/bin/env bash
# Lets the new core take its names, with the docs, tests and scripts that were written for it. It runs
# once, in a clean clone; then this folder goes, and the rest is one commit.
set -euo pipefail
cd "$(dirname "$0")/../.."
git rm -rq --ignore-unmatch --pathspec-from-file=scripts/swap/removed.txt
cp sitemapper/py.typed sitemapper_next/
git rm -rq sitemapper
git mv sitemapper_next sitemapper
grep -rlI "sitemapper_next" sitemapper tests/rooms tests/support/rooms.py tests/support/days.py |
    xargs sed -i "s/sitemapper_next as sitemapper/sitemapper/; s/sitemapper_next/sitemapper/g"
git apply --index scripts/swap/swap.patch
git rm -rq scripts/swap
