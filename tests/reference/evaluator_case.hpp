// What the tests of the evaluator share: a request built by hand, and one kbench-torch for all.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>

#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

using Outcome = ReferenceAnswer::Outcome;

inline const std::filesystem::path program = std::filesystem::path(KBENCH_BIN_DIR) / "kbench-torch";
inline constexpr std::size_t page = 4096;
inline const std::atomic<bool> never_stopped{false};

// What evaluate() gets, built by hand.
struct Case {
  Definition definition;
  Problem problem;
  Inputs inputs;
  std::vector<std::pair<std::string, std::string>> bytes;  // of each tensor input

  explicit Case(std::string reference) { definition.reference = std::move(reference); }

  template <class T>
  Case& tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
               const std::vector<T>& values) {
    BoundInput input;
    input.name = name;
    input.tensor.dtype = dtype;
    input.tensor.shape = std::move(shape);
    input.tensor.bytes = values.size() * sizeof(T);
    bytes.emplace_back(
        name, std::string(reinterpret_cast<const char*>(values.data()), input.tensor.bytes));
    inputs.values.push_back(std::move(input));
    definition.inputs[name].shape = std::vector<std::string>{};
    definition.inputs[name].dtype = dtype;
    return *this;
  }
  Case& floats(const std::string& name, const std::vector<float>& values) {
    return tensor(name, DType::float32, {static_cast<std::int64_t>(values.size())}, values);
  }
  Case& scalar(const std::string& name, DType dtype, Scalar value) {
    BoundInput input;
    input.name = name;
    input.scalar = value;
    input.tensor.dtype = dtype;
    inputs.values.push_back(std::move(input));
    definition.inputs[name].dtype = dtype;
    return *this;
  }
  Case& output(const std::string& name, DType dtype = DType::float32) {
    problem.outputs.push_back({name, dtype, false, {}});
    definition.outputs[name].dtype = dtype;
    return *this;
  }
  Case& seal() {
    std::size_t size = 0;
    for (const auto& [name, text] : bytes) size += (text.size() + page - 1) / page * page;
    inputs.memory = SharedMemory("test inputs", size);
    std::size_t at = 0, next = 0;
    for (BoundInput& input : inputs.values) {
      if (input.scalar) continue;
      const std::string& text = bytes[next++].second;
      if (!text.empty()) std::memcpy(inputs.memory.data() + at, text.data(), text.size());
      input.offset = at;
      input.tensor.data = inputs.memory.data() + at;
      at += (text.size() + page - 1) / page * page;
    }
    inputs.memory.seal_for_others();
    return *this;
  }
};

inline Case add_case() {
  Case c("import torch\n\ndef run(x, y):\n    return x + y\n");
  c.floats("x", {1, 2, 3}).floats("y", {10, 20, 30}).output("z").seal();
  return c;
}

template <class T>
std::vector<T> values(const TensorView& view) {
  std::vector<T> out(view.bytes / sizeof(T));
  if (view.bytes > 0) std::memcpy(out.data(), view.data, view.bytes);
  return out;
}

template <EvaluatorChoice choice>
class EvaluatorTestWith : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!std::filesystem::exists(program)) return;
    ReferenceLimits limits;
    limits.seconds = 20;
    limits.evaluator = choice;
    limits.bytes = std::uint64_t{1} << 30;
    shared = new ReferenceEvaluator(program, limits, 1, never_stopped);
  }
  static void TearDownTestSuite() {
    delete shared;
    shared = nullptr;
  }
  void SetUp() override {
    if (shared == nullptr) GTEST_SKIP() << "kbench-torch is not built (no LibTorch)";
  }
  static ReferenceAnswer evaluate(const Case& c, const ReferenceEffort& effort = {}) {
    return shared->evaluate(c.definition, c.problem, c.inputs, effort);
  }
  static void expect_still_right() {
    const ReferenceAnswer answer = evaluate(add_case());
    ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
    EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{11, 22, 33}));
  }

  static inline ReferenceEvaluator* shared = nullptr;
};

using EvaluatorTest = EvaluatorTestWith<EvaluatorChoice::libtorch>;

}  // namespace kbench
