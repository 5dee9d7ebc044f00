"""What can be known of a value, and what can be asked about it."""
