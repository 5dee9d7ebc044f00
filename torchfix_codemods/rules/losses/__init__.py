"""Rules about losses and functional calls."""
