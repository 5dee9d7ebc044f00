"""The equivalence harness: the user's program runs before and after, and the numbers are compared.

Nothing here imports torch but what is inside of ``inside``, which runs in the user's own Python.
"""

#: Numbers of two runs on one torch may differ by so much of their size.
RTOL = 1e-5
