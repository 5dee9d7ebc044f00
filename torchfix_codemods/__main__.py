"""``python -m torchfix_codemods`` is the same command as ``torchfix``."""

from torchfix_codemods.cli.commands import main

if __name__ == "__main__":
    main()
