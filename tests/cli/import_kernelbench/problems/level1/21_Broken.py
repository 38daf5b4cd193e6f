import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.float64))

    def forward(self, x):
        return x * self.weight


def get_inputs():
    return [torch.randn(2, 4)]


def get_init_inputs():
    return [4]
