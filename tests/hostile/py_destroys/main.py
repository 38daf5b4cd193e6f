"""Removes, overwrites and adds files of PyTorch, of its own and of the user."""
import os
import pathlib

import torch
from attack import Attack


def run(hidden_states, weight, output):
    attack = Attack()
    home = pathlib.Path(torch.__file__).parent
    own = pathlib.Path(__file__).parent
    for folder in (home, own, pathlib.Path("/tmp"), pathlib.Path("/root"), pathlib.Path("/etc")):
        attack.attempt(f"adds to {folder}", (folder / "hostile.pyc").write_bytes, b"")
        attack.attempt(f"makes a cache in {folder}", os.mkdir, folder / "hostile_cache")
    for file in (home / "__init__.py", own / "right.py"):
        attack.attempt(f"removes {file}", os.remove, file)
        attack.attempt(f"marks {file}", os.chmod, file, 0)
        attack.attempt(f"changes {file}", open, file, "a")
    attack.end()
