"""Judges compute kernels with the program kbench, from Python."""
from .api import TraceSet, apply_table, build, compare, load, report, run, show, tune, validate
from .apply import apply
from .capture import capture
from .command import Failed, program
from .definition import Definition, define
from .judging import judge
from .records import Comparison, Entry, Evaluation, Evaluations, Message, Ratio, Record, Records, Search

__all__ = ["Comparison", "Definition", "Entry", "Evaluation", "Evaluations", "Failed", "Message", "Ratio", "Record",
           "Records", "Search", "TraceSet", "apply", "apply_table", "build", "capture", "compare", "define", "judge", "load",
           "program", "report", "run", "show", "tune", "validate"]
