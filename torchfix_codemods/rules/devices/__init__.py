"""Rules about where tensors live."""
