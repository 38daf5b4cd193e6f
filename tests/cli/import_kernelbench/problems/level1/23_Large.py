import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        if not x.is_meta:
            raise RuntimeError("more than a million numbers are not calculated with")
        return torch.relu(x).sum(dim=1, keepdim=True)


batch_size = 1024


def get_inputs():
    return [torch.rand(batch_size, 2048)]
