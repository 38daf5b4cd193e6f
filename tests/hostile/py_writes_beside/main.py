"""Writes past the end of the output by its address."""
import ctypes

from right import right


def run(hidden_states, weight, output):
    output.copy_(right(hidden_states, weight))
    ctypes.memset(output.data_ptr() + output.nbytes, 7, 4096)
