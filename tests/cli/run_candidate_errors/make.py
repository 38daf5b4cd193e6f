"""Solutions of scale_n4 that are wrong, each in its own way, into set/."""
import json
import pathlib

RIGHT = "for (int64_t i = 0; i < a.numel(); ++i) c.data<float>()[i] = a.data<float>()[i] * float(s);"
ARGUMENTS = "kbench::Tensor a, double s, kbench::Tensor c"


def solution(name, arguments=ARGUMENTS, body=RIGHT, before="", passing=True, link_flags=None, binding="tvm-ffi"):
    text = f'#include <stdexcept>\n#include "kbench_ffi.h"\n{before}\nvoid scale({arguments}) {{ {body} }}\n'
    spec = {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "scale.cpp::run", "dependencies": [],
            "destination_passing_style": passing, "binding": binding, "link_flags": link_flags or []}
    return {"name": name, "definition": "scale_n4", "author": "me", "spec": spec,
            "sources": [{"path": "scale.cpp", "content": text + "KBENCH_EXPORT(run, scale)\n"}]}


MISSING = "void missing(int);"
ALL = [
    solution("a_right"),
    solution("b_no_library", link_flags=["-lno_such_library"]),
    solution("c_undefined_at_link", before=MISSING, body="missing(1);", link_flags=["-Wl,--no-undefined"]),
    solution("d_undefined_at_load", before=MISSING, body="missing(1);"),
    solution("e_too_few", "kbench::Tensor a, kbench::Tensor c", ""),
    solution("f_outputs_not_passed", passing=False),
    solution("g_integer", "kbench::Tensor a, int64_t s, kbench::Tensor c", ""),
    solution("h_tensor", "kbench::Tensor a, kbench::Tensor s, kbench::Tensor c", ""),
    solution("i_throws", body='throw std::runtime_error("no such tile: 3");'),
    solution("j_throws_an_integer", body="throw 3;"),
    solution("k_no_memory", body="throw std::bad_alloc();"),
]
folder = pathlib.Path("set/solutions/me/scale/scale_n4")
folder.mkdir(parents=True)
for one in ALL:
    (folder / f"{one['name']}.json").write_text(json.dumps(one))
