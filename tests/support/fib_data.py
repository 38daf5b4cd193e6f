"""FlashInfer-Bench's records without its heavy dependencies: `import fib_data; fib_data.load()` gives its
package flashinfer_bench.data, with a torch that is a name only. For a Python that has flashinfer-bench,
pydantic and safetensors installed (pip install --no-deps)."""

import importlib
import importlib.util
import sys
import types


def stand_in(name, folder=None):
    module = types.ModuleType(name)
    if folder is not None:
        module.__path__ = [folder]
    else:
        def attribute(wanted):
            if wanted.startswith("__"):
                raise AttributeError(wanted)
            return type(wanted, (), {})
        module.__getattr__ = attribute
    sys.modules[name] = module


def load():
    package = importlib.util.find_spec("flashinfer_bench")  # finds it without importing it
    stand_in("flashinfer_bench", package.submodule_search_locations[0])
    stand_in("torch")
    importlib.import_module("safetensors")
    stand_in("safetensors.torch")
    return importlib.import_module("flashinfer_bench.data")
