"""The surroundings of the pages: robots.txt, the files of hosts, the generator and its settings."""
