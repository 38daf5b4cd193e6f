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

const Starter table[] = {
    {"scale",
     "one pass over rows",
     &scale,
     scale_body,
     scale_forward,
     scale_backward,
     {{{"batch", 4}}},
     {{{"batch", 512}}}},
    {"gemm",
     "a matrix product",
     &gemm,
     gemm_body,
     gemm_forward,
     gemm_backward,
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
