#include "scaffold/starters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/to_json.hpp"

namespace kbench {
namespace {

Axis var_axis(const char* description) { return AxisVar{.description = description}; }

Axis const_axis(std::int64_t value, const char* description) {
  return AxisConst{.value = value, .description = description};
}

TensorSpec float32(std::vector<std::string> shape, const char* description) {
  return {std::move(shape), DType::float32, description};
}

Definition scale() {
  Definition definition{.name = "scale_d1024", .op_type = "scale"};
  definition.axes.items = {{"batch", var_axis("rows")},
                           {"d", const_axis(1024, "elements of a row")}};
  definition.inputs.items = {
      {"x", float32({"batch", "d"}, "rows")},
      {"factor", {std::nullopt, DType::float32, "what every element is multiplied by"}}};
  definition.outputs.items = {{"y", float32({"batch", "d"}, "scaled rows")}};
  definition.reference = "import torch\n\n\ndef run(x, factor):\n    return x * factor\n";
  definition.description = "Every element of a batch of rows times a factor.";
  return definition;
}

constexpr std::string_view scale_body = R"(  const float factor = static_cast<float>(a.factor);
  for (int64_t i = 0; i < a.batch * d; ++i) a.y[i] = a.x[i] * factor;
)";

constexpr std::string_view scale_forward = R"(  const float factor = static_cast<float>(x.factor);
  for (int64_t i = 0; i < x.batch * d; ++i) y.y[i] = x.x[i] * factor;
)";
constexpr std::string_view scale_backward = R"(  const float factor = static_cast<float>(x.factor);
  for (int64_t i = 0; i < x.batch * d; ++i) dx.x[i] = dy.y[i] * factor;
)";

constexpr std::string_view scale_torch =
    R"(static torch::Tensor run(torch::Tensor x, double factor) {
  return x * factor;
}
)";

constexpr std::string_view scale_cuda =
    R"(__global__ void scale(const float* x, float factor, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factor;
}

static void run(kbench::Tensor x, double factor, kbench::Tensor y) {
  constexpr int threads = 256;
  const int64_t n = x.numel();
  scale<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, kbench::stream_of(x)>>>(
      x.data<const float>(), static_cast<float>(factor), y.data<float>(), n);
  kbench::check_launch();
}
)";

constexpr std::string_view scale_triton = R"(@triton.jit
def scale(x, factor, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, tl.load(x + at, mask=inside) * factor, mask=inside)


def run(x, factor, y):
    n = x.numel()
    scale[(triton.cdiv(n, 1024),)](x, factor, y, n, BLOCK=1024)
)";

Definition gemm() {
  Definition definition{.name = "gemm_n256_k256", .op_type = "gemm"};
  definition.axes.items = {{"M", var_axis("rows of A")},
                           {"N", const_axis(256, "rows of B")},
                           {"K", const_axis(256, "elements of a dot product")}};
  definition.inputs.items = {{"A", float32({"M", "K"}, "left")},
                             {"B", float32({"N", "K"}, "right, transposed")}};
  definition.outputs.items = {{"C", float32({"M", "N"}, "A @ B.T")}};
  definition.reference = "import torch\n\n\ndef run(A, B):\n    return torch.matmul(A, B.T)\n";
  definition.description = "C = A @ B.T, a batch of rows times a layer's weights.";
  return definition;
}

constexpr std::string_view gemm_body = R"(  for (int64_t i = 0; i < a.M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += a.A[i * K + k] * a.B[j * K + k];
      a.C[i * N + j] = sum;
    }
  }
)";

constexpr std::string_view gemm_forward = R"(  for (int64_t i = 0; i < x.M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += x.A[i * K + k] * x.B[j * K + k];
      y.C[i * N + j] = sum;
    }
  }
)";
constexpr std::string_view gemm_backward = R"(  for (int64_t i = 0; i < x.M * K; ++i) dx.A[i] = 0;
  for (int64_t i = 0; i < N * K; ++i) dx.B[i] = 0;
  for (int64_t i = 0; i < x.M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      const float g = dy.C[i * N + j];
      for (int64_t k = 0; k < K; ++k) {
        dx.A[i * K + k] += g * x.B[j * K + k];
        dx.B[j * K + k] += g * x.A[i * K + k];
      }
    }
  }
)";

constexpr std::string_view gemm_torch =
    R"(static torch::Tensor run(torch::Tensor A, torch::Tensor B) {
  return torch::matmul(A, B.t());
}
)";

constexpr std::string_view gemm_cuda =
    R"(__global__ void gemm(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t i = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i >= M || j >= N) return;
  float sum = 0;
  for (int64_t k = 0; k < K; ++k) sum += A[i * K + k] * B[j * K + k];
  C[i * N + j] = sum;
}

static void run(kbench::Tensor A, kbench::Tensor B, kbench::Tensor C) {
  const int64_t M = A.size(0), N = B.size(0), K = A.size(1);
  const dim3 block(16, 16);
  const dim3 grid(static_cast<unsigned>((N + 15) / 16), static_cast<unsigned>((M + 15) / 16));
  gemm<<<grid, block, 0, kbench::stream_of(A)>>>(A.data<const float>(), B.data<const float>(),
                                                 C.data<float>(), M, N, K);
  kbench::check_launch();
}
)";

constexpr std::string_view gemm_triton = R"(@triton.jit
def gemm(A, B, C, M, N, K, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, K, BLOCK):
        k = first + tl.arange(0, BLOCK)
        a = tl.load(A + i * K + k[None, :], mask=(i < M) & (k[None, :] < K), other=0.0)
        b = tl.load(B + j * K + k[:, None], mask=(j < N) & (k[:, None] < K), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(C + i * N + j, total, mask=(i < M) & (j < N))


def run(A, B, C):
    (M, K), N = A.shape, B.shape[0]
    gemm[(triton.cdiv(M, 32), triton.cdiv(N, 32))](A, B, C, M, N, K, BLOCK=32)
)";

const Starter table[] = {
    {"scale",
     "one pass over rows",
     &scale,
     scale_body,
     scale_forward,
     scale_backward,
     scale_torch,
     scale_cuda,
     scale_triton,
     {{{"batch", 4}}},
     {{{"batch", 512}}}},
    {"gemm",
     "a matrix product",
     &gemm,
     gemm_body,
     gemm_forward,
     gemm_backward,
     gemm_torch,
     gemm_cuda,
     gemm_triton,
     {{{"M", 1}}},
     {{{"M", 64}}}},
};

bool are_alike(const OrderedMap<TensorSpec>& a, const OrderedMap<TensorSpec>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape == y.second.shape &&
           x.second.dtype == y.second.dtype;
  });
}

bool are_alike(const OrderedMap<Axis>& a, const OrderedMap<Axis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.index() == y.second.index();
  });
}

}  // namespace

std::span<const Starter> starters() { return table; }

const Starter* find_starter(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Starter& starter) { return starter.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

const Starter* starter_of(const Definition& definition) {
  for (const Starter& starter : table) {
    const Definition own = starter.definition();
    if (own.reference == definition.reference && are_alike(own.axes, definition.axes) &&
        are_alike(own.inputs, definition.inputs) && are_alike(own.outputs, definition.outputs))
      return &starter;
  }
  return nullptr;
}

NewFile definition_file(const Definition& definition) {
  return {fmt::format("definitions/{}/{}.json", definition.op_type, definition.name),
          to_json(definition, Dump::full, 2) + "\n"};
}

}  // namespace kbench
