// Common parts of the evaluator's tests: a request built by hand, and one kbench-torch for all.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

using Outcome = ReferenceAnswer::Outcome;

inline const std::filesystem::path program = std::filesystem::path(KBENCH_BIN_DIR) / "kbench-torch";
inline constexpr std::size_t page = 4096;
inline const std::atomic<bool> never_stopped{false};

// Arguments of evaluate(), built by hand.
struct Case {
  Definition definition;
  Problem problem;
  Inputs inputs;
  std::vector<std::pair<std::string, std::string>> bytes;  // contents of each tensor input

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

// Makes run(x) of these floats, with one output.
inline Case case_of(std::string reference, const std::vector<float>& x = {1}) {
  Case c(std::move(reference));
  c.floats("x", x).output("y").seal();
  return c;
}

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
  static ReferenceAnswer evaluate_well(const Case& c) {
    ReferenceAnswer answer = evaluate(c);
    if (answer.outcome != Outcome::ok) throw std::runtime_error(answer.message);
    return answer;
  }
  static std::vector<float> floats_of(const Case& c) {
    return values<float>(evaluate_well(c).outputs.at(0));
  }
  static void expect_end(const Case& c, Outcome outcome, int line, const std::string& words = "") {
    const ReferenceAnswer answer = evaluate(c);
    EXPECT_EQ(answer.outcome, outcome);
    EXPECT_EQ(answer.line, line);
    EXPECT_NE(answer.message.find(words), std::string::npos) << answer.message;
  }
  static void expect_still_right() {
    EXPECT_EQ(floats_of(add_case()), (std::vector<float>{11, 22, 33}));
  }

  static inline ReferenceEvaluator* shared = nullptr;
};

using EvaluatorTest = EvaluatorTestWith<EvaluatorChoice::automatic>;

}  // namespace kbench
