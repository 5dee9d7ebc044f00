"""Runs that begin each call of a module with what another run had there."""
