"""What stands together where tensors are moved to a device."""
