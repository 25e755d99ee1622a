"""What a command does: build, check, explain and verify, a file for each."""
