"""What answers in Python have in common, whatever benchmark they are for."""
from python_text import offset_of_text

COMPILER = "it starts a compiler in its call, which a candidate may not"
FAILING = {"load_inline": COMPILER, "torch.compile": COMPILER, ".cuda(": "no GPU is shown to candidates in Python"}


def warn_of_what_fails(work, answer):
    for word, why in FAILING.items():
        at = answer.text.find(word)
        if at >= 0:
            work.note("warning", answer, f"{word} will fail: {why}",
                      "docs/coming-from-kernelbench.md says what takes its place", offset_of_text(answer.text, at))


def add_solution(work, answer, names, description, sources):
    """`names` are those of the author, the solution and the definition; `sources` {path: text}, main.py with run()."""
    author, name, definition = names
    warn_of_what_fails(work, answer)
    is_triton = "import triton" in answer.text or "from triton " in answer.text
    work.add("solution", answer, {
        "name": name, "definition": definition, "author": author, "description": description,
        "spec": {"language": "triton" if is_triton else "python", "target_hardware": ["cuda" if is_triton else "cpu"],
                 "entry_point": "main.py::run", "destination_passing_style": False},
        "sources": [{"path": path, "content": text} for path, text in sources.items()]})
