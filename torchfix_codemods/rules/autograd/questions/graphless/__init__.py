"""What certainly is part of no graph, and in which other ways it could get one."""
