"""Read by every Python that starts while a program is verified."""

from _torchfix_inside import child  # type: ignore[import-not-found]

child.attach()
child.read_next_sitecustomize(__file__)
