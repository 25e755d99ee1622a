"""What a user types and reads: a file a command, and one for each format of results."""
