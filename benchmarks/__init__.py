"""What `torchfix migrate` does to real legacy code, and what it costs.

Run from the repository root, each on its own: `python -m benchmarks.corpus`,
`python -m benchmarks.suites`, `python -m benchmarks.speed`.
"""
