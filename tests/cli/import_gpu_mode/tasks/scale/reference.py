import torch
from utils import make_match_reference


def generate_input(rows, width, seed):
    generator = torch.Generator(device="cuda")
    generator.manual_seed(seed)
    x = torch.randn(rows, width, device="cuda", generator=generator)
    weight = torch.arange(rows, device='cuda').float() + 1
    sums = torch.empty(rows, width // 2, device="cuda")
    return x, weight, sums, {"offset": 0.5}


def ref_kernel(data):
    x, weight, sums, options = data
    sums[...] = (x * weight[:, None]).reshape(x.shape[0], -1, 2).sum(-1) + options["offset"]
    return sums


check_implementation = make_match_reference(ref_kernel, rtol=1e-4, atol=1e-4)
