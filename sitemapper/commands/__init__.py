"""What a command does: build, check, compare, explain and verify, a file for each."""
