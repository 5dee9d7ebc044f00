"""Quotients of Python 2: which `/` rounded down, and what is said of it."""
