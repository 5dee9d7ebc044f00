"""The table of what calls of torch give, applied to the values that are known."""
