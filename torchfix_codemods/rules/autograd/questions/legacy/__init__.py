"""What only the rule for legacy functions of autograd asks about code."""
