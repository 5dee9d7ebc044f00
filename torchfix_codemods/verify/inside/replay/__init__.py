"""Calls of functions and modules without the program around them, with inputs from a file."""
