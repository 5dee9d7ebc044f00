"""Schedulers: what they are, what their steps do, and where in an epoch those belong."""
