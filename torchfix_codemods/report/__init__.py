"""Reports: one module per format, all made from the same results."""
