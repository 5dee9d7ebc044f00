"""Rules about arrays of numpy beside tensors."""
