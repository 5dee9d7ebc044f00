"""What changed in libraries that legacy code uses beside torch."""
