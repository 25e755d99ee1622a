"""Publishing:

the plan of the output, robots.txt, files of other tools, and protection against losses.
"""
