"""What a program does: training and inference, devices, checkpoints."""
