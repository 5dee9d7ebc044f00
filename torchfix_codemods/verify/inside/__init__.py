"""What runs inside the user's program, in the user's Python (3.7 or newer) with the user's torch.

It is copied next to the program as a package of its own: imports within it are relative, and
nothing but the standard library, torch and numpy is needed.
"""
