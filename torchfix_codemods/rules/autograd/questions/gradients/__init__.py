"""The gradients that backward() is given."""
