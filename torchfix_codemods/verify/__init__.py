"""The equivalence harness: the user's program runs before and after, and the numbers are compared.

Nothing here imports torch but what is inside of ``inside``, which runs in the user's own Python.
"""
