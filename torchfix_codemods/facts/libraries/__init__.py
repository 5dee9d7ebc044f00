"""What operations of torch and functions of Python do, as tables."""
