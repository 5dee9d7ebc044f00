"""Inputs for changed functions where no program calls them."""
