"""What is read from disk: which files are pages, their bytes, and the facts in them."""
