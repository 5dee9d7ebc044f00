"""Documents: files that hold Python programs, and are not Python themselves.

A document takes its programs out of its text as pieces (the cells of a notebook, the code blocks
of a README), has them migrated as one program, and puts back what changed. Every byte outside of
the changed pieces stays what it was.
"""
