"""What a Variable is made of: tensors that were made just before, batches of a loader."""
