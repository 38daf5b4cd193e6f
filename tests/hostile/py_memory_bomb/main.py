"""Takes memory without end."""


def run(hidden_states, weight, output):
    kept = []
    while True:
        kept.append(bytearray(1 << 24))
