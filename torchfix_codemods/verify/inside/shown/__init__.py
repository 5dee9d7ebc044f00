"""What a program shows of its results: numbers that it prints or logs, files, plots."""
