"""What only the rules of this room ask about code."""
