"""What is put in place: the plan of the output, robots.txt, files of other tools, what must not be lost."""
