"""Arrays that may be pictures: their numbers, their axes, and the files that they are read from."""
