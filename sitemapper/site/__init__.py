"""The built site's folder: which files are pages, and their bytes."""
