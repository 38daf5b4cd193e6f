import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, slope, pick):
        return torch.compile(torch.relu)(x)[:, pick] * slope, x.sum()
