// Names of platforms and backends, of element types, and what runs where.
#include "kernels/registry/platform.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

std::string backend_text(const std::string& word) {
  const auto backend = parse_backend(word);
  return backend ? text(*backend) : "none";
}

TEST(Platform, NamesOfEitherCase) {  // R9, R12
  EXPECT_EQ(find_platform("TRITON"), find_platform("triton"));
  EXPECT_EQ(find_platform("triton")->backend, "gpu");
  EXPECT_EQ(find_platform("quda"), nullptr);
  EXPECT_EQ(find_platform("auto"), nullptr);  // queries have this word
}

TEST(Platform, WhatKbenchCannotRunIsKnown) {
  for (const char* name : {"pallas", "xla", "cute", "tilelang", "sycl"})
    EXPECT_FALSE(find_platform(name)->can_run);
  for (const char* name : {"cpp", "cuda", "python", "triton"})
    EXPECT_TRUE(find_platform(name)->can_run);
}

TEST(Platform, BackendsAndWhatOfThemIsNeeded) {
  EXPECT_EQ(backend_text("GPU"), "gpu");
  EXPECT_EQ(backend_text("gpu:SM_90"), "gpu:sm_90");
  EXPECT_EQ(backend_text("gpu:sm_90a"), "gpu:sm_90a");
  EXPECT_EQ(backend_text("cpu:avx512"), "cpu:avx512");
  EXPECT_EQ(backend_text("any"), "any");
  for (const char* word : {"", "npu", "cpu:", "cpu:avx1024", "any:fast", ":avx2",
                           "gpu:", "gpu:sm90", "gpu:sm_", "gpu:hopper", "tpu:x", "mps:1"})
    EXPECT_EQ(backend_text(word), "none") << word;
  EXPECT_NE(backend_words().find("gpu:sm_90"), std::string::npos);
}

TEST(Platform, WhatRunsWhere) {
  const Host host{{"avx2", "avx512f"}, {"sm_90"}};
  const auto runs = [&](const std::string& word) { return runs_on(*parse_backend(word), host); };
  for (const char* word : {"any", "cpu", "cpu:avx2", "cpu:avx512", "gpu", "gpu:sm_90"})
    EXPECT_TRUE(runs(word)) << word;
  for (const char* word : {"cpu:avx512bf16", "gpu:sm_80", "tpu", "mps"})
    EXPECT_FALSE(runs(word)) << word;
  EXPECT_FALSE(runs_on(*parse_backend("gpu"), Host{}));
}

TEST(Platform, RefinementsHaveAnOrder) {
  for (const auto& ordered :
       {std::vector<std::string>{"cpu", "cpu:avx", "cpu:avx2", "cpu:avx512", "cpu:avx512bf16"},
        std::vector<std::string>{"gpu", "gpu:other", "gpu:sm_80", "gpu:sm_90", "gpu:sm_90a",
                                 "gpu:sm_100"}}) {
    for (std::size_t i = 1; i < ordered.size(); ++i)
      EXPECT_LT(refinement_order(*parse_backend(ordered[i - 1])),
                refinement_order(*parse_backend(ordered[i])))
          << ordered[i];
  }
}

TEST(ScalarType, NamesAndNumbersArePyTorchs) {  // Y25
  struct Row {
    const char* name;
    int code;
  };
  const Row rows[] = {
      {"Byte", 0},      {"Char", 1},          {"Short", 2},        {"Int", 3},
      {"Long", 4},      {"Half", 5},          {"Float", 6},        {"Double", 7},
      {"Bool", 11},     {"BFloat16", 15},     {"Float8_e5m2", 23}, {"Float8_e4m3fn", 24},
      {"UInt16", 27},   {"UInt64", 29},       {"float32", 6},      {"float16", 5},
      {"bfloat16", 15}, {"int64", 4},         {"bool", 11},        {"float8_e5m2", 23},
      {"int8", 1},      {"float8_e4m3fn", 24}};
  for (const Row& row : rows) {
    ASSERT_NE(find_scalar_type(row.name), nullptr) << row.name;
    EXPECT_EQ(find_scalar_type(row.name)->code, row.code) << row.name;
  }
  EXPECT_EQ(scalar_types().size(), 30U);
  for (const ScalarTypeInfo& one : scalar_types()) EXPECT_EQ(find_scalar_type(one.code), &one);
  for (const char* name : {"float", "FLOAT", "", "float4_e2m1", "Undefined"})
    EXPECT_EQ(find_scalar_type(name), nullptr) << name;
  EXPECT_EQ(find_scalar_type(DType::float4_e2m1), nullptr);
  EXPECT_EQ(find_scalar_type(30), nullptr);
  EXPECT_EQ(find_scalar_type(-1), nullptr);
}

}  // namespace
}  // namespace kbench
