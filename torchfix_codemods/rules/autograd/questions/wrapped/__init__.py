"""What a Variable is made of, what its class is asked for, and branches between it and a tensor."""
