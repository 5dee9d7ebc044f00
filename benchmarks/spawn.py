"""Runs a program and writes what it cost: `python spawn.py COST_FILE PROGRAM ARGUMENT...`.

A process of its own, and a small one, because Linux counts the memory of the process that
starts a program as if the program had reached it. It imports nothing it can do without.
"""

import os
import sys


def main(cost_file: str, *command: str) -> int:
    """Run the command, write its CPU seconds and peak memory, and return its exit status."""
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    with open(cost_file, "w", encoding="ascii") as file:
        file.write(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
    code = os.waitstatus_to_exitcode(status)
    # What died of a signal is reported the way shells do.
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
