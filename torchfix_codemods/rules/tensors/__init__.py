"""Rules about shapes, constructors and indexing."""
