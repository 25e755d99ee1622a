"""What a user types and reads: the commands, their flags, every form of output."""
