"""The rules of `validate`, one file for each family."""
