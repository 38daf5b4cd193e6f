import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def kernel(a_blocks, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    b_blocks = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = a_blocks.load([i * BM, k * BK])
        y = b_blocks.load([j * BN, k * BK])
        total = tl.dot(x, y.T, total, input_precision="ieee")
    c_blocks = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    c_blocks.store([i * BM, j * BN], total.to(c.dtype.element_ty))


def run(a, b):
    M, K = a.shape
    N = b.shape[0]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    a_blocks = TensorDescriptor(a, shape=[M, K], strides=[K, 1], block_shape=[32, 32])
    kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](a_blocks, b, c, M, N, K, BM=32, BN=32, BK=32)
    return c
