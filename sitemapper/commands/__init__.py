"""One file a command: what `build`, `check`, `explain`, `init` and the others do."""
