"""Tensors in code: how they are made, cast and counted, and what is calculated with them."""
