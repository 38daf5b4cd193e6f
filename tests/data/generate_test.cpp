#include "problem/data/generate.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "problem/data/safetensors.hpp"
#include "problem/element.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

InputPlan tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  return {{name, dtype, false, std::move(shape)}, RandomInput{}};
}

InputPlan scalar(const std::string& name, DType dtype, InputSpec source = RandomInput{}) {
  return {{name, dtype, true, {}}, std::move(source)};
}

InputSpec literal(ScalarValue value) {
  ScalarInput input;
  input.value = std::move(value);
  return input;
}

InputSpec stored(const std::string& path, const std::string& key) {
  SafetensorsInput input;
  input.path = path;
  input.tensor_key = key;
  return input;
}

Problem problem_of(std::vector<InputPlan> inputs, const std::string& op_type = "gemm") {
  Problem problem;
  problem.definition = "d";
  problem.op_type = op_type;
  problem.workload = "w1";
  problem.inputs = std::move(inputs);
  return problem;
}

Inputs generate(const Problem& problem, GenerateOptions options = {}) {
  Diagnostics diagnostics;
  Inputs inputs = generate_inputs(problem, {}, options, diagnostics);
  for (const Diagnostic& item : diagnostics.items()) ADD_FAILURE() << item.message;
  return inputs;
}

Diagnostic problem_with(const Problem& problem, const std::filesystem::path& root = {}) {
  Diagnostics diagnostics;
  GenerateOptions options;
  options.root = root;
  options.line = Place("w.jsonl", 7);
  const Inputs inputs = generate_inputs(problem, {}, options, diagnostics);
  EXPECT_TRUE(inputs.values.empty());
  EXPECT_EQ(diagnostics.errors(), 1U);
  return diagnostics.empty() ? Diagnostic{} : diagnostics.items()[0];
}

std::vector<double> values(const BoundInput& input) {
  std::vector<double> out(element_count(input.tensor.shape));
  decode(input.tensor.dtype, input.tensor.data, 0, std::span(out));
  return out;
}

std::vector<std::byte> bytes(const BoundInput& input) {
  return {input.tensor.data, input.tensor.data + input.tensor.bytes};
}

std::uint64_t checksum(const BoundInput& input) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes(input)) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  return hash;
}

class EveryDType : public testing::TestWithParam<DTypeInfo> {};
INSTANTIATE_TEST_SUITE_P(Generate, EveryDType, testing::ValuesIn(dtypes().begin(), dtypes().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EveryDType, HasItsDistribution) {
  constexpr std::int64_t count = 1 << 20;
  const Inputs inputs =
      generate(problem_of({tensor("x", GetParam().dtype, {count})}), {7, 0, {}, 0});
  const std::vector<double> x = values(inputs.values[0]);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / count;
  struct Row {
    double low, high, mean, variance;
  };
  const std::map<DType, Row> uniform = {{DType::int64, {-1024, 1023, -0.5, 349525.25}},
                                        {DType::int32, {-1024, 1023, -0.5, 349525.25}},
                                        {DType::int16, {-1024, 1023, -0.5, 349525.25}},
                                        {DType::int8, {-128, 127, -0.5, 5461.25}},
                                        {DType::uint8, {0, 255, 127.5, 5461.25}},
                                        {DType::boolean, {0, 1, 0.5, 0.25}}};
  if (const auto row = uniform.find(GetParam().dtype); row != uniform.end()) {
    EXPECT_EQ(*low, row->second.low);
    EXPECT_EQ(*high, row->second.high);
    EXPECT_NEAR(mean, row->second.mean, 5 * std::sqrt(row->second.variance / count));
    EXPECT_NEAR(variance / row->second.variance, 1, 5 * std::sqrt(0.8 / count) + 1e-3);
  } else if (GetParam().bits >= 16) {
    EXPECT_GT(*high, 4);
    EXPECT_LT(*low, -4);
    EXPECT_NEAR(mean, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(variance, 1, 5 * std::sqrt(2.0 / count) + 1e-4);
  } else if (!has_sign(GetParam().dtype)) {
    EXPECT_EQ(*high, 2);
    EXPECT_GT(*low, 0);
  } else {
    EXPECT_EQ(*high, 2);
    EXPECT_EQ(*low, -2);
    EXPECT_NEAR(mean, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(static_cast<double>(std::count(x.begin(), x.end(), 2.0)) / count, 0.035, 0.02);
  }
}

// What these seeds give is a promise: traces name only the seed.
TEST_P(EveryDType, KeepsItsBits) {
  const std::map<std::string, std::uint64_t> golden = {
      {"float32", 0xe91689b733364487},        {"float16", 0x3e00bffddfd4c8e5},
      {"bfloat16", 0x9dc0e9513e7c7da4},       {"float8_e4m3fn", 0x60ac33da4ff73047},
      {"float8_e5m2", 0xec77cc501eff747e},    {"float4_e2m1", 0x0891972392f4a4a2},
      {"int64", 0x7b41b7ed0fa5fd41},          {"int32", 0x6c40988923f75989},
      {"int16", 0xc2fe41b5e1f45e81},          {"int8", 0x91af14ccf268f2cf},
      {"bool", 0xa87f647fde34080a},           {"uint8", 0x23995afbf77ade4f},
      {"float8_e8m0fnu", 0x2315c0b9a68c859a},
  };
  const Inputs inputs =
      generate(problem_of({tensor("x", GetParam().dtype, {3, 100003})}), {2026, 1, {}, 2});
  const auto held = golden.find(std::string(GetParam().name));
  ASSERT_NE(held, golden.end()) << "a new dtype's checksum is wanted here: 0x" << std::hex
                                << checksum(inputs.values[0]);
  EXPECT_EQ(checksum(inputs.values[0]), held->second) << std::hex << checksum(inputs.values[0]);
}

TEST_P(EveryDType, DoesNotDependOnThreads) {
  const Problem problem = problem_of({tensor("x", GetParam().dtype, {1000001})});
  const Inputs one = generate(problem, {3, 0, {}, 1});
  for (const int threads : {0, 2, 3, 16}) {
    EXPECT_EQ(bytes(one.values[0]), bytes(generate(problem, {3, 0, {}, threads}).values[0]));
  }
}

TEST(Generate, ATensorIsTheStartOfALongerOne) {
  for (const DTypeInfo& row : dtypes()) {
    const auto small = bytes(generate(problem_of({tensor("x", row.dtype, {70002})})).values[0]);
    const auto large = bytes(generate(problem_of({tensor("x", row.dtype, {300000})})).values[0]);
    EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin())) << row.name;
  }
}

TEST(Generate, TheSameOriginMeansTheSameBytes) {
  std::map<std::string, std::vector<std::byte>> of_origin;
  std::set<std::vector<std::byte>> contents;
  std::size_t made = 0;
  for (const std::string op_type : {"gemm", "sampling"}) {
    const Problem problem = problem_of(
        {tensor("probs", DType::float32, {4, 16}), tensor("b", DType::float32, {4, 16})}, op_type);
    for (const std::uint64_t seed : {0U, 0U, 1U}) {
      for (const std::uint32_t trial : {0U, 1U}) {
        const Inputs inputs = generate(problem, {seed, trial, {}, 1});
        for (const BoundInput& input : inputs.values) {
          const auto [place, is_new] = of_origin.emplace(input.origin, bytes(input));
          EXPECT_EQ(place->second, bytes(input)) << input.origin;
          contents.insert(bytes(input));
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(made, 24U);
  EXPECT_EQ(contents.size(), of_origin.size());  // nor is one content of two origins here
}

TEST(Generate, SeedTrialAndPositionAllCount) {
  const Problem problem =
      problem_of({tensor("a", DType::float32, {64}), tensor("b", DType::float32, {64})});
  std::set<std::vector<std::byte>> seen;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
    for (const std::uint32_t trial : {0U, 1U}) {
      const Inputs inputs = generate(problem, {seed, trial, {}, 1});
      for (const BoundInput& input : inputs.values) seen.insert(bytes(input));
    }
  }
  EXPECT_EQ(seen.size(), 12U);
}

TEST(Generate, OtherInputsDoNotMatter) {
  const Inputs a =
      generate(problem_of({tensor("a", DType::float32, {64}), tensor("b", DType::int8, {9})}));
  const Inputs b =
      generate(problem_of({tensor("a", DType::int32, {1, 7}), tensor("b", DType::int8, {9})}));
  EXPECT_EQ(bytes(a.values[1]), bytes(b.values[1]));
}

TEST(Generate, TensorsLieOnPagesOfSealedMemory) {
  const Inputs inputs =
      generate(problem_of({tensor("a", DType::float16, {5}), tensor("z", DType::float16, {0, 4}),
                           scalar("s", DType::int32, literal(std::int64_t{3})),
                           tensor("b", DType::boolean, {5000}), tensor("c", DType::float32, {})}));
  ASSERT_EQ(inputs.values.size(), 5U);
  for (const BoundInput& input : inputs.values) {
    EXPECT_EQ(input.offset % 4096, 0U);
    if (input.scalar) continue;
    EXPECT_EQ(input.tensor.data, inputs.memory.data() + input.offset);
    EXPECT_LE(input.offset + input.tensor.bytes, inputs.memory.size());
  }
  EXPECT_LT(inputs.values[0].offset, inputs.values[3].offset);
  EXPECT_LT(inputs.values[3].offset + 4096, inputs.values[4].offset);
  EXPECT_EQ(inputs.values[4].tensor.bytes, 4U);
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, inputs.memory.fd(), 0),
            MAP_FAILED);
  EXPECT_NE(::ftruncate(inputs.memory.fd(), 0), 0);
}

TEST(Generate, NoInputsAndNoBytes) {
  EXPECT_TRUE(generate(problem_of({})).values.empty());
  EXPECT_EQ(generate(problem_of({tensor("e", DType::float32, {0})})).values[0].tensor.bytes, 0U);
}

TEST(Generate, LiteralsTakeTheDeclaredKind) {
  const Inputs inputs = generate(problem_of({scalar("a", DType::float32, literal(std::int64_t{2})),
                                             scalar("d", DType::int64, literal(4.0))}));
  EXPECT_EQ(inputs.values[0].scalar, Scalar(2.0));
  EXPECT_EQ(inputs.values[1].scalar, Scalar(std::int64_t{4}));
}

TEST(Generate, RandomScalarsAreSamples) {
  const Inputs inputs =
      generate(problem_of({scalar("f", DType::float16), scalar("i", DType::int64),
                           scalar("b", DType::boolean), tensor("t", DType::float16, {})}));
  EXPECT_TRUE(std::holds_alternative<double>(*inputs.values[0].scalar));
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(*inputs.values[1].scalar));
  EXPECT_TRUE(std::holds_alternative<bool>(*inputs.values[2].scalar));
  EXPECT_FALSE(inputs.values[3].scalar.has_value());
  const Inputs as_tensor = generate(problem_of({tensor("f", DType::float16, {})}));
  EXPECT_EQ(std::get<double>(*inputs.values[0].scalar), values(as_tensor.values[0])[0]);
}

TEST(Generate, ProbabilitiesOfSamplersAreSoftmaxed) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    const Inputs inputs = generate(problem_of(
        {tensor("probs", dtype, {4, 1000}), tensor("logits", dtype, {4, 1000})}, "sampling"));
    const auto probs = values(inputs.values[0]);
    for (std::size_t row = 0; row < 4; ++row) {
      const auto begin = probs.begin() + static_cast<long>(1000 * row);
      EXPECT_GE(*std::min_element(begin, begin + 1000), 0);
      EXPECT_NEAR(std::accumulate(begin, begin + 1000, 0.0), 1,
                  dtype == DType::float32 ? 1e-6 : 1e-2);
    }
    const auto logits = values(inputs.values[1]);
    EXPECT_LT(*std::min_element(logits.begin(), logits.end()), 0);
  }
  const Inputs other =
      generate(problem_of({tensor("probs", DType::float32, {4, 1000})}, "softmax"));
  const auto plain = values(other.values[0]);
  EXPECT_LT(*std::min_element(plain.begin(), plain.end()), 0);
}

TEST(Generate, SoftmaxIsThatOfTheRandomRow) {
  const Inputs raw = generate(problem_of({tensor("probs", DType::float32, {2, 500})}));
  const Inputs soft = generate(problem_of({tensor("probs", DType::float32, {2, 500})}, "sampling"));
  const auto x = values(raw.values[0]), y = values(soft.values[0]);
  double sum = 0;
  for (int i = 0; i < 500; ++i) sum += std::exp(x[i]);
  for (int i = 0; i < 500; ++i) EXPECT_NEAR(y[i], std::exp(x[i]) / sum, 1e-7 * y[i]);
}

// A file of three tensors in a folder that stands for a trace set.
class FromFile : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "blob");
    indptr_.resize(3 * 4);
    const std::vector<double> numbers = {0, 5, 9};
    encode(DType::int32, std::span<const double>(numbers), indptr_.data(), 0);
    big_.assign(400000, std::byte{7});
    const NamedTensor tensors[] = {
        {"kv_indptr", {DType::int32, {3}, indptr_.data(), indptr_.size()}},
        {"big", {DType::int8, {4, 100000}, big_.data(), big_.size()}}};
    write_safetensors(root_ / "blob/x.safetensors", tensors);
  }

  InputPlan plan(DType dtype, std::vector<std::int64_t> shape,
                 const std::string& key = "kv_indptr") {
    return {{"x", dtype, false, std::move(shape)}, stored("blob/x.safetensors", key)};
  }

  const TempFolder folder_;
  const std::filesystem::path& root_ = folder_.path();
  std::vector<std::byte> indptr_, big_;
};

TEST_F(FromFile, TensorsAreCopied) {
  GenerateOptions options;
  options.root = root_;
  const Inputs inputs =
      generate(problem_of({plan(DType::int32, {3}), tensor("y", DType::float32, {8}),
                           plan(DType::int8, {4, 100000}, "big")}),
               options);
  EXPECT_EQ(bytes(inputs.values[0]), indptr_);
  EXPECT_EQ(bytes(inputs.values[2]), big_);
  EXPECT_NE(inputs.values[0].origin, inputs.values[2].origin);
  EXPECT_EQ(element(DType::int32, inputs.values[0].tensor.data, 2), Scalar(std::int64_t{9}));
}

TEST_F(FromFile, WhatDoesNotFitIsSaidOfTheWorkloadAndItsInput) {
  const std::string file = (root_ / "blob/x.safetensors").string();
  const Diagnostic shape = problem_with(problem_of({plan(DType::int32, {2, 4})}), root_);
  EXPECT_EQ(shape.message, "workload w1: 'x' expected [2, 4], 'kv_indptr' of " + file + " is [3]");
  EXPECT_EQ(shape.where.file, "w.jsonl");
  EXPECT_EQ(shape.where.line, 7);
  EXPECT_EQ(shape.where.pointer, "/workload/inputs/x");
  EXPECT_EQ(problem_with(problem_of({plan(DType::int64, {3})}), root_).message,
            "workload w1: 'x' expected int64, 'kv_indptr' of " + file + " is int32");
  const Diagnostic name = problem_with(problem_of({plan(DType::int32, {3}, "kv_indpt")}), root_);
  EXPECT_EQ(name.message, "workload w1: 'x': " + file + " has no tensor 'kv_indpt'");
  EXPECT_EQ(name.hint, "did you mean \"kv_indptr\"?");
  EXPECT_EQ(
      problem_with(
          problem_of({scalar("x", DType::int32, stored("blob/x.safetensors", "kv_indptr"))}), root_)
          .message,
      "workload w1: 'x' expected a scalar, 'kv_indptr' of " + file + " is [3]");
}

TEST_F(FromFile, AMissingFileIsSaidOnce) {
  InputPlan input = plan(DType::int32, {3});
  std::get<SafetensorsInput>(input.source).path = "blob/none.safetensors";
  const Diagnostic missing = problem_with(problem_of({input, input}), root_);
  EXPECT_EQ(missing.message, "workload w1: 'x': " + (root_ / "blob/none.safetensors").string() +
                                 " cannot be opened: No such file or directory");
}

TEST_F(FromFile, AllProblemsAreReported) {
  Diagnostics diagnostics;
  GenerateOptions options;
  options.root = root_;
  generate_inputs(problem_of({plan(DType::int32, {2}), plan(DType::int8, {3})}), {}, options,
                  diagnostics);
  EXPECT_EQ(diagnostics.errors(), 2U);
}

}  // namespace
}  // namespace kbench
