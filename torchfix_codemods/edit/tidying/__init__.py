"""What makes the code around a rewrite look as if a person had written it."""
