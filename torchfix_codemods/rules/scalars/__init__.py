"""Rules about tensors without dimensions, and the elements of others."""
