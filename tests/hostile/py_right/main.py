"""The control in Python: nothing is wrong with this one."""
from right import right


def run(hidden_states, weight, output):
    output.copy_(right(hidden_states, weight))
