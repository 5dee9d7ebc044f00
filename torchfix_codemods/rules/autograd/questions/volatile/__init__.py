"""What only the rule for `volatile=` asks about code."""
