"""What a project and a command ask for."""
