import torch
import triton
import triton.language as tl


@triton.jit
def kernel(logits, labels, losses, gradients, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    m = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(v))
        total = total * tl.exp(m - new) + tl.sum(tl.exp(v - new))
        m = new
    if label == -100:
        tl.store(losses + row, 0.0)
    else:
        tl.store(losses + row, tl.log(total) + m - tl.load(logits + row * n + label).to(tl.float32))
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
        p = tl.exp(v - m) / total - tl.where(column == label, 1.0, 0.0)
        p = tl.where(label == -100, 0.0, p)
        tl.store(gradients + row * n + column, p.to(gradients.dtype.element_ty), mask=column < n)


def run(logits, numbers):
    rows, n = logits.shape
    labels = torch.where(torch.arange(rows, device="cuda") == 1, -100, numbers.remainder(n))
    losses = torch.empty(rows, device=logits.device, dtype=torch.float32)
    gradients = torch.empty_like(logits)
    kernel[(rows,)](logits, labels, losses, gradients, n, BLOCK=128)
    return losses, gradients
