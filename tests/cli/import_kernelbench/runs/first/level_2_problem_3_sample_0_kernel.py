import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features)

    def forward(self, x):
        y = F.linear(x, self.linear.weight, self.linear.bias)
        mean, var = y.mean(0), y.var(0, unbiased=False)
        return torch.clamp((y - mean) * torch.rsqrt(var + self.bn.eps) * self.bn.weight + self.bn.bias, min=0)
