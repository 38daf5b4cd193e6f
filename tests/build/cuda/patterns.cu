// Kernels whose accesses are known. tests/build/cuda_test.cpp says what each costs.
#include "kbench_ffi.h"

template <int stride>
__global__ void shared_stride(float* y) {
  __shared__ float tile[32 * stride];
  for (int i = 0; i < stride; ++i) tile[threadIdx.x + 32 * i] = y[threadIdx.x + 32 * i];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x * stride];
}
template __global__ void shared_stride<1>(float*);
template __global__ void shared_stride<2>(float*);
template __global__ void shared_stride<8>(float*);
template __global__ void shared_stride<33>(float*);

__device__ int swizzled(int row, int column) { return row * 32 + (column ^ row); }
__device__ int straight(int row, int column) { return row * 32 + column; }

template <int (*place)(int, int)>
__global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[32 * 32];
  const int lane = threadIdx.x & 31;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) tile[place(j, lane)] = x[j * n + lane];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += blockDim.y) y[j * n + lane] = tile[place(lane, j)];
}
template __global__ void transpose<swizzled>(const float*, float*, int);
template __global__ void transpose<straight>(const float*, float*, int);

__global__ void rows_of_8(const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[row * 8 + i];
  y[row] = sum;
}

__global__ void rows_of_any(const float* x, float* y, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];
  y[row] = sum;
}

__global__ void every_other(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[2 * i];
}

__global__ void vectors(const float4* x, float4* y) {
  __shared__ float4 part[256];
  part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = part[threadIdx.x ^ 1];
}

__global__ void broadcast(const float* x, float* y) {
  __shared__ float row[64];
  if (threadIdx.x < 64) row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += row[i] * x[threadIdx.x / 32 + i];
  y[threadIdx.x] = sum;
}

void run(kbench::Tensor x) {
  every_other<<<1, 32>>>(x.data<float>(), x.data<float>());
}
KBENCH_EXPORT(run, run)
