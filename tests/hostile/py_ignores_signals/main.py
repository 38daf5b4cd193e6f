"""Handles every signal that can be handled, and never returns."""
import signal


def run(hidden_states, weight, output):
    for number in signal.valid_signals():
        try:
            signal.signal(number, lambda *a: None)
        except (OSError, ValueError):
            pass
    while True:
        pass
