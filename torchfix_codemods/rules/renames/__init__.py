"""Rules that follow the catalogue of torch's API: names, arguments, functions that are no more."""
