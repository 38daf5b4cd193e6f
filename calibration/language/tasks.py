"""Transformer parts of language models."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
TASKS = []
for part in ("norms", "attentions", "pointwise", "tables"):
    if pathlib.Path(__file__).with_name(f"{part}.py").exists():
        TASKS += __import__(part).TASKS
