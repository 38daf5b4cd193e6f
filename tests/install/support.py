"""What tests/install/run and tests/install/full share."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KBENCH_BUILD", ROOT / "build")).resolve()
TORCH = (BUILD / "lib" / "kbench" / "torch").resolve()
PLAIN = "plain_rmsnorm_h128"


def judge(solution, root):
    """The words of a run that judges a solution of rmsnorm_h128 with as little effort as can be."""
    return ["run", "--root", root, "-d", "rmsnorm_h128", "-s", solution, "-w", "0ea9d291", "--num-trials", "1",
            "--budget", "0.001"]


def say(*command, status=0, **options):
    """What the command prints; it must end with `status`."""
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    assert done.returncode == status, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-3000:]}"
    return done.stdout


def pack(folder):
    """The .deb, made in `folder` as fast as can be: what is in it counts here."""
    say("cpack", "-G", "DEB", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=BUILD)
    [package] = folder.glob("kbench_0.1.0_*.deb")
    return package
