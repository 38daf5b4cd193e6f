// Common parts of right and wrong programs for the calibration of rules. A program makes outputs of
// inputs, in C++ and without kbench's own evaluators.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "problem/element.hpp"

namespace kbench::mutants {

using Floats = std::vector<float>;
using Bytes = std::vector<std::byte>;
using Outputs = std::vector<Bytes>;

// Inputs of one trial, those that float32 holds exactly as such.
struct Given {
  std::map<std::string, Floats> numbers;
  std::map<std::string, std::vector<std::int64_t>> integers;  // int64 inputs
  const Floats& operator[](const std::string& name) const { return numbers.at(name); }
};

struct Program {
  std::string name;
  bool right = false;
  std::function<Outputs(const Given&)> run;
};

// A Definition with one workload, and programs that are to compute it. The first is a right one.
struct Task {
  std::string name, op_type;
  DType dtype = DType::float32;  // dtype of the output that is meant
  std::map<std::string, int> axes;
  nlohmann::ordered_json inputs, outputs;
  std::string reference;
  std::vector<Program> programs;
};

inline nlohmann::ordered_json tensor(const std::vector<std::string>& shape, DType dtype) {
  return {{"shape", shape}, {"dtype", info(dtype).name}};
}

inline Bytes stored(DType dtype, const Floats& values) {
  Bytes bytes(storage_bytes(dtype, values.size()));
  encode(dtype, std::span<const float>(values), bytes.data(), 0);
  return bytes;
}

template <class T>
Bytes raw(const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

inline float rounded(DType dtype, float value) {
  if (dtype == DType::float32) return value;
  std::array<std::byte, sizeof(float)> bytes{};
  encode(dtype, std::span<const float>(&value, 1), bytes.data(), 0);
  decode(dtype, bytes.data(), 0, std::span(&value, 1));
  return value;
}

// Rounds towards zero, to as many bits as the dtype has.
inline float chopped(DType dtype, float value) {
  const int lost = 24 - info(dtype).significand;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & (~0U << lost));
}

inline Floats chopped(DType dtype, Floats values) {
  for (float& v : values) v = chopped(dtype, v);
  return values;
}

inline bool is_16_bit(DType dtype) { return info(dtype).bits == 16; }

// Orders of a sum. The first five are honest.
enum class Sum : std::uint8_t { forward, backward, blocks, fused, wide, low_each, low_blocks };
struct How {
  Sum sum = Sum::forward;
  DType low = DType::bfloat16;  // dtype of low_each and low_blocks
};

inline const std::vector<std::pair<std::string, How>> honest_sums{
    {"in order", {Sum::forward}},       {"backwards", {Sum::backward}},
    {"in blocks of 32", {Sum::blocks}}, {"fused multiply-add", {Sum::fused}},
    {"in double", {Sum::wide}},
};

inline float dot_in_blocks(std::span<const float> a, std::span<const float> b, DType keep) {
  float total = 0;
  for (std::size_t first = 0; first < a.size(); first += 32) {
    float part = 0;
    for (std::size_t k = first; k < std::min(first + 32, a.size()); ++k) part += a[k] * b[k];
    total = rounded(keep, total + part);
  }
  return total;
}

inline float dot_wide(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * b[k];
  return static_cast<float>(sum);
}

inline float dot(std::span<const float> a, std::span<const float> b, const How& how) {
  float sum = 0;
  switch (how.sum) {
    case Sum::forward:
      for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
      return sum;
    case Sum::backward:
      for (std::size_t k = a.size(); k-- > 0;) sum += a[k] * b[k];
      return sum;
    case Sum::fused:
      for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
      return sum;
    case Sum::low_each:
      for (std::size_t k = 0; k < a.size(); ++k) sum = rounded(how.low, sum + a[k] * b[k]);
      return sum;
    case Sum::wide:
      return dot_wide(a, b);
    case Sum::blocks:
      return dot_in_blocks(a, b, DType::float32);
    case Sum::low_blocks:
      return dot_in_blocks(a, b, how.low);
  }
  return sum;
}

inline std::span<const float> row(const Floats& values, std::size_t i, std::size_t length) {
  return std::span(values).subspan(i * length, length);
}

inline Floats ones(std::size_t n) { return Floats(n, 1.0F); }
inline std::size_t axis(const Task& task, const std::string& name) {
  return static_cast<std::size_t>(task.axes.at(name));
}

inline constexpr std::array wide_dtypes{DType::float32, DType::float16, DType::bfloat16};

}  // namespace kbench::mutants
