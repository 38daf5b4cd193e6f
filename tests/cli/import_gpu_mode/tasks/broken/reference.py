import torch


def generate_input(n):
    return torch.ones(n), object()


def ref_kernel(data):
    return data[0]
