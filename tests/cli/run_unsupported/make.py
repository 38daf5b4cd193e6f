"""Solutions of scale_n4 that refuse their call, into set/."""
import json
import pathlib

CPP = '#include <stdexcept>\n#include "kbench_ffi.h"\nvoid scale(kbench::Tensor, double, kbench::Tensor) {{ throw {}; }}\n' \
      "KBENCH_EXPORT(run, scale)\n"
PYTHON = "class Unsupported(NotImplementedError):\n    pass\n\ndef run(*arguments):\n    raise {}\n"
ALL = [
    ("cpp_kind", "cpp", 'kbench::Error{"NotImplementedError", "no windows"}'),
    ("cpp_words", "cpp", 'std::runtime_error("NotImplementedError: Not Supported")'),
    ("cpp_other_kind", "cpp", 'kbench::Error{"ValueError", "bad shape"}'),
    ("python_kind", "python", 'NotImplementedError("no windows")'),
    ("python_kind_alone", "python", "NotImplementedError"),
    ("python_derived", "python", 'Unsupported("no windows")'),
    ("python_words", "python", 'ValueError("this is Not Supported")'),
]
folder = pathlib.Path("set/solutions/me/scale/scale_n4")
folder.mkdir(parents=True)
for name, language, thrown in ALL:
    text, file = (CPP, "scale.cpp") if language == "cpp" else (PYTHON, "scale.py")
    spec = {"language": language, "target_hardware": ["cpu"], "entry_point": f"{file}::run", "dependencies": [],
            "destination_passing_style": True, "binding": "tvm-ffi" if language == "cpp" else None}
    one = {"name": name, "definition": "scale_n4", "author": "me", "spec": spec,
           "sources": [{"path": file, "content": text.format(thrown)}]}
    (folder / f"{name}.json").write_text(json.dumps(one))
