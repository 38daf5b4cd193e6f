"""Reads problems of other formats for `kbench import`, which starts this folder as a program in its sandbox.

Messages are JSON over the socket that is descriptor 3. kbench sends one with the content of the files; it runs modules
for the importer as often as it is asked to (running.py); the importer's last message has the records, and what is to be
said of the files. The importer itself opens no file, and runs nothing of what it reads.
"""
import sys

if sys.version_info < (3, 9):
    sys.exit(f"it is Python {sys.version.split()[0]}, and 3.9 is the oldest that kbench import runs in")
sys.setrecursionlimit(5000)

import fi_trace
import flashinfer_2025
import gpu_mode
import kernelbench
import sol_execbench
import talk
import work

# A row a format; its other row, with the files that it is made of, is in src/cli/import/imported.cpp.
READERS = {
    "sol-execbench": sol_execbench.read,
    "fi-trace": fi_trace.read,
    "flashinfer-2025": flashinfer_2025.read,
    "kernelbench": kernelbench.read,
    "gpu-mode": gpu_mode.read,
}


def main():
    kbench = talk.Kbench(3)
    kbench.send({})  # it has started
    request = kbench.receive()
    job = work.Work(request, kbench.ask)
    READERS[request["format"]](job)
    kbench.send(job.answer())


if __name__ == "__main__":
    main()
