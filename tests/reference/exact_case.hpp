// Common parts of the tests of double answers and gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/element.hpp"
#include "reference/evaluator_case.hpp"

namespace kbench {

// Returns n numbers in (-1, 1) that look random, the same ones for the same seed.
inline std::vector<double> numbers(std::size_t n, std::uint64_t seed = 1) {
  std::vector<double> out(n);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (double& x : out) {
    state = state * 6364136223846793005 + 1442695040888963407;
    x = static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  }
  return out;
}

// Returns the bytes of `given` as the dtype holds them.
inline std::vector<std::uint8_t> stored(DType dtype, const std::vector<double>& given) {
  std::vector<std::uint8_t> bytes(storage_bytes(dtype, given.size()));
  encode(dtype, std::span<const double>(given), reinterpret_cast<std::byte*>(bytes.data()), 0);
  return bytes;
}

inline std::vector<double> rounded(DType dtype, std::vector<double> given) {
  const auto bytes = stored(dtype, given);
  decode(dtype, reinterpret_cast<const std::byte*>(bytes.data()), 0, std::span(given));
  return given;
}

inline std::vector<double> doubles(const TensorView& view) {
  std::vector<double> out(element_count(view.shape));
  decode(view.dtype, view.data, 0, std::span(out));
  return out;
}

inline std::vector<double> doubles(std::span<const double> values) {
  return {values.begin(), values.end()};
}

class ExactTest : public ::testing::Test {
 protected:
  static ReferenceEvaluator& evaluator(EvaluatorChoice choice) {
    // Python gives the double answer of what LibTorch does not take.
    static ReferenceEvaluator libtorch(program, limits(EvaluatorChoice::automatic), 1,
                                       never_stopped);
    static ReferenceEvaluator python(program, limits(EvaluatorChoice::python), 1, never_stopped);
    return choice == EvaluatorChoice::python ? python : libtorch;
  }
  void SetUp() override {
    if (!std::filesystem::exists(program))
      GTEST_SKIP() << "kbench-torch is not built (no LibTorch)";
  }
  static ReferenceAnswer evaluate(EvaluatorChoice choice, const Case& c, int runs = 8,
                                  const std::vector<double>& moves = {}) {
    return evaluator(choice).evaluate(c.definition, c.problem, c.inputs, {.watch = true},
                                      {true, runs, runs, 0, moves});
  }
  static ReferenceLimits limits(EvaluatorChoice choice) {
    ReferenceLimits limits;
    limits.seconds = 60;
    limits.bytes = std::uint64_t{1} << 30;
    limits.evaluator = choice;
    return limits;
  }
};

inline constexpr EvaluatorChoice both_evaluators[] = {EvaluatorChoice::libtorch,
                                                      EvaluatorChoice::python};

inline std::string name_of(EvaluatorChoice choice) {
  return choice == EvaluatorChoice::python ? "python" : "libtorch";
}

}  // namespace kbench
