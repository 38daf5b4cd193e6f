"""Opens its own memory, descriptors and command line, and its parent's."""
import os
import pathlib

from attack import Attack


def run(hidden_states, weight, output):
    attack = Attack()
    for who in ("self", str(os.getppid())):
        for what in ("mem", "maps", "environ", "cmdline", "fd/3", "task"):
            attack.attempt(f"{who}/{what}", os.open, f"/proc/{who}/{what}", os.O_RDONLY)
    attack.attempt("descriptors", os.listdir, "/proc/self/fd")
    attack.attempt("home", os.listdir, "/root")
    attack.attempt("passwords", pathlib.Path("/etc/shadow").read_bytes)
    attack.end()
