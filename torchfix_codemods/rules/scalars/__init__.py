"""Rules about tensors without dimensions, the elements of others, and columns of one."""
