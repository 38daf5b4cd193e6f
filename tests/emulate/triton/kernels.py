"""The cases of cases.py: each kernel in three dtypes, and its spoilt copies in one that shows it."""
import functools

import torch

import cases
import judging


def right(case, dtype):
    said = judged(case, dtype, text_of(case))
    assert said == "PASSED", said


def spoilt(case, dtype, old, new, kind):
    text = text_of(case)
    assert text.count(old) >= 1, f"no {old!r} in {case.file}.py"
    said = judged(case, dtype, text.replace(old, new))
    assert said.startswith(kind), said
    assert kind in ("WRONG", "ERROR", "UNWRITTEN") or ", main.py:" in said, said


def text_of(case):
    return (judging.KERNELS / f"{case.file}.py").read_text()


def judged(case, dtype, text):
    torch.manual_seed(7)
    return judging.judge(text, [make(dtype) for make in case.inputs], case.reference)


def all_cases():
    for case in cases.CASES:
        for dtype in cases.DTYPES:
            yield f"{case.file}.right.{str(dtype)[6:]}", functools.partial(right, case, dtype)
        for number, words in enumerate(case.spoilt):
            yield (f"{case.file}.spoilt.{number + 1}.{words[2].lower()}",
                   functools.partial(spoilt, case, cases.DTYPES[number % 3], *words))
