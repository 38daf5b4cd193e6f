"""What kbench's side of Python (src/reference/python/kbench_glue.py) makes of a reference by torch.compile, in a process of its own."""

import os
import subprocess
import sys

import sets

REFERENCE = "import torch\n\ndef run(x):\n    return torch.softmax(x * 0.5, -1)\n"
SCRIPT = """
import os, pathlib, shutil, sys
sys.path.insert(0, sys.argv[1])
sys.setdlopenflags(os.RTLD_LAZY)
import kbench_glue, torch
scratch = pathlib.Path(sys.argv[2])
kbench_glue.enter_worker("", [], str(scratch))
call = kbench_glue.Candidate(str(scratch), "reference.py", "run", "", ["x"], compiler=shutil.which("g++")).load()
x = torch.randn(4, 64)
assert torch.allclose(call(x), torch.softmax(x * 0.5, -1), atol=1e-6)
from torch._dynamo.utils import counters
assert counters["stats"]["unique_graphs"] == 1, counters
texts = [path.read_text() for path in (scratch / "inductor").rglob("*.cpp")]
assert any("kernel" in text and "exp" in text for text in texts), len(texts)
call(torch.randn(4, 64))
try:
    call(torch.randn(5, 64))
except RuntimeError as error:
    assert "recompile" in str(error) and counters["stats"]["unique_graphs"] == 1, error
else:
    raise AssertionError("it was compiled anew")
"""


def the_first_call_alone_compiles():
    sets.needs("torch")
    with sets.folder() as folder:
        sets.write(folder / "reference.py", REFERENCE)
        done = subprocess.run([sys.executable, "-c", SCRIPT, str(sets.ROOT / "src/reference/python"), str(folder)], text=True,
                              env={**os.environ, "HOME": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout[-3000:]
