"""The program's flags that tell whether CUDA is used."""
