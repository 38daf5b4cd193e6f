"""Starts programs, and becomes one."""
import os
import subprocess

from attack import Attack


def run(hidden_states, weight, output):
    attack = Attack()
    attack.attempt("shell", lambda: os.posix_spawn("/bin/true", ["true"], {}))
    attack.attempt("subprocess", subprocess.run, ["/bin/true"])
    attack.attempt("exec", os.execv, "/bin/true", ["true"])
    attack.end()
