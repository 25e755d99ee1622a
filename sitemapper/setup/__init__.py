"""What holds for the site of a run, before the first page: its robots.txt."""
