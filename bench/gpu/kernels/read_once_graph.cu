// SPDX-License-Identifier: Apache-2.0
// read_once.cuh as the one node of a CUDA graph, which is made for the tensors of the first call and
// made anew for others.
#include "read_once.cuh"

namespace {

struct Graph {
  const float4* x = nullptr;
  float* y = nullptr;
  int64_t rows = 0;
  cudaGraphExec_t ready = nullptr;

  bool is_of(const float4* from, const float* to, int64_t of_rows) const {
    return ready != nullptr && from == x && to == y && of_rows == rows;
  }
  void make() {
    if (ready != nullptr) kbench::check_cuda(cudaGraphExecDestroy(ready));
    void* arguments[] = {&x, &y, &rows};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(&read_once);
    node.gridDim = dim3(read_once_blocks(rows));
    node.blockDim = dim3(kLanes * kRowsOfBlock);
    node.kernelParams = arguments;
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t only = nullptr;
    kbench::check_cuda(cudaGraphCreate(&graph, 0));
    kbench::check_cuda(cudaGraphAddKernelNode(&only, graph, nullptr, 0, &node));
    kbench::check_cuda(cudaGraphInstantiate(&ready, graph, 0));
    kbench::check_cuda(cudaGraphDestroy(graph));
  }
};

void run(kbench::Tensor x, kbench::Tensor y) {
  static Graph graph;
  if (!graph.is_of(x.data<float4>(), y.data<float>(), x.size(0))) {
    graph.x = x.data<float4>();
    graph.y = y.data<float>();
    graph.rows = x.size(0);
    graph.make();
  }
  kbench::check_cuda(cudaGraphLaunch(graph.ready, kbench::stream_of(x)));
}

}  // namespace

KBENCH_EXPORT(run, run)
