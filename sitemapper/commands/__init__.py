"""The work of the commands, a file for each: `build`, `check`, `explain`, `init` and the others."""
