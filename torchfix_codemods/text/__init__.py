"""The text of a file before anything is known of what it means."""
