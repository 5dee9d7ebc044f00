"""Rewrites legacy PyTorch code into current PyTorch."""

__version__ = "0.1.0"
