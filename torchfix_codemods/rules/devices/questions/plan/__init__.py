"""The plan of a file: where everything goes that goes to the GPU, and by which switch."""
