"""The work of the commands, a file for each:

build, check, compare, explain and verify, which uses judge.
"""
