"""When a program may ask for the GPU, and which code needs one."""
