"""The right answer to rmsnorm_h128, for candidates that misbehave in other ways."""
import torch


def right(x, weight):
    wide = x.to(torch.float32)
    scale = torch.rsqrt(wide.pow(2).mean(dim=-1, keepdim=True) + 1e-6)
    return ((wide * scale) * weight.to(torch.float32)).to(x.dtype)
