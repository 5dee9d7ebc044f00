"""What only the rules for rows of the catalogue ask about code."""
