"""Rules about modules and initialisation."""
