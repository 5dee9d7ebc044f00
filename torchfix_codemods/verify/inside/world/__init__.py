"""What the program finds around it: time, random numbers, files, the network, processes."""
