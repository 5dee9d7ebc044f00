"""Devices that have a name already."""
