import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, rows, n, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    for row in tl.range(first, rows, tl.num_programs(0)):
        column = tl.arange(0, BLOCK)
        v = tl.load(x + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * n + column, (e / tl.sum(e, axis=0)).to(out.dtype.element_ty), mask=column < n)


def run(x):
    out = torch.empty_like(x)
    processors = torch.cuda.get_device_properties(x.device).multi_processor_count
    kernel[(min(4, processors, x.shape[0]),)](x, out, x.shape[0], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
