"""What kind of tensor something is: integers, masks, numbers, shapes."""
