"""How many dimensions a tensor has, and which of them is meant."""
