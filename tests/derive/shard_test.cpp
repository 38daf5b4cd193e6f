// Cuts of a problem into ranks. Rows Tn are those of ejkernel's own tests.
#include "judge/derive/shard.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "judge/records.hpp"
#include "problem/bind.hpp"

namespace kbench {
namespace {

using nlohmann::json;

json sharded_tensor(const json& shape, const char* dtype = "float32") {
  return {{"shape", shape}, {"dtype", dtype}};
}

// C[M, N] = A[M, K] B[N, K]ᵀ
Definition gemm(const json& constraints = json::array()) {
  return stored<Definition>(
             {{"name", "gemm"},
              {"op_type", "gemm"},
              {"axes",
               {{"M", {{"type", "var"}}},
                {"N", {{"type", "const"}, {"value", 80}}},
                {"K", {{"type", "const"}, {"value", 96}}},
                {"unused", {{"type", "const"}, {"value", 4}}}}},
              {"inputs", {{"A", sharded_tensor({"M", "K"})}, {"B", sharded_tensor({"N", "K"})}}},
              {"outputs", {{"C", sharded_tensor({"M", "N"})}}},
              {"constraints", constraints},
              {"reference", "import torch\n\ndef run(A, B):\n    return A @ B.T\n"}})
      .record;
}

Problem bound(const Definition& definition, std::int64_t m) {
  Diagnostics problems;
  Workload workload;
  workload.uuid = "w";
  workload.axes["M"] = m;
  for (const auto& [name, spec] : definition.inputs) workload.inputs[name] = RandomInput{};
  auto problem = bind(definition, workload, Place("test", 1), problems);
  return problem.value();
}

struct Cut {
  std::optional<ShardLayout> layout;
  std::string message;
  std::string hint;
};

Cut cut(const Definition& definition, const Problem& problem, const ShardRequest& request) {
  Diagnostics problems;
  Cut out;
  out.layout = shard_layout(definition, problem, request, {"--axis"}, problems);
  if (!problems.empty()) {
    out.message = problems.items().front().message;
    out.hint = problems.items().front().hint;
  }
  return out;
}

std::string shapes(const Definition& definition, std::int64_t m, const ShardRequest& request) {
  const Problem whole = bound(definition, m);
  const Cut made = cut(definition, whole, request);
  return made.layout ? layout_text(rank_problem(whole, *made.layout), *made.layout) : made.message;
}

TEST(Shard, CutsWhatCarriesTheAxisAndLeavesTheRestWhole) {
  EXPECT_EQ(shapes(gemm(), 8, {{"M"}, 4, {}}), "A [2, 96], B [80, 96] whole, C [2, 80]");
  EXPECT_EQ(shapes(gemm(), 8, {{"N"}, 4, {}}), "A [8, 96] whole, B [20, 96], C [8, 20]");
  EXPECT_EQ(shapes(gemm(), 8, {{"K"}, 4, {}}), "A [8, 24], B [80, 24], C [8, 80] whole");
  EXPECT_EQ(shapes(gemm(), 8, {{"M"}, 1, {}}), "A [8, 96], B [80, 96] whole, C [8, 80]");
}

TEST(Shard, RankProblemHasTheRanksAxes) {
  const Problem whole = bound(gemm(), 8);
  const Problem local = rank_problem(whole, *cut(gemm(), whole, {{"K"}, 4, {}}).layout);
  EXPECT_EQ(*local.axes.find("K"), 24);
  EXPECT_EQ(*local.axes.find("M"), 8);
}

// Kernel of all_gather matmul: the rows of A and the columns of C are cut, A is gathered by it.
TEST(Shard, ARanksCallIsOneByItselfWhereTheDefinitionDescribesIt) {
  const Definition definition = gemm();
  const Problem whole = bound(definition, 8);
  Workload workload;
  workload.uuid = "w";
  workload.axes["M"] = 8;
  for (const auto& [name, spec] : definition.inputs) workload.inputs[name] = RandomInput{};
  const auto alone = [&](const ShardRequest& request) {
    const ShardLayout layout = cut(definition, whole, request).layout.value();
    return call_alone(definition, workload, rank_problem(whole, layout));
  };
  const auto found = alone({{"M"}, 2, {}});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found->axes.find("M"), 4);
  EXPECT_EQ(found->outputs[0].shape, (std::vector<std::int64_t>{4, 80}));
  EXPECT_FALSE(alone({{"N"}, 2, {}}));  // a constant
  OrderedMap<std::string> whole_c;
  whole_c["C"] = "replicated";
  EXPECT_FALSE(alone({{"M"}, 2, whole_c}));  // C has all rows
}

TEST(Shard, T11AllGather) {
  EXPECT_EQ(shapes(gemm(), 8, {{"M", "N"}, 4, {}}),
            "C carries M and N: a tensor is cut by one axis");
  ShardRequest request{{"M", "N"}, 4, {}};
  request.tensors["C"] = "N";
  EXPECT_EQ(shapes(gemm(), 8, request), "A [2, 96], B [20, 96], C [8, 20]");
}

// Kernel of reduce_scatter matmul: the sum over K is cut, each rank keeps its rows of C.
TEST(Shard, T12ReduceScatter) {
  ShardRequest request{{"K"}, 4, {}};
  request.tensors["C"] = "M";
  EXPECT_EQ(shapes(gemm(), 8, request), "A [8, 24], B [80, 24], C [2, 80]");
}

TEST(Shard, RanksMustDivide) {
  const Cut made = cut(gemm(), bound(gemm(), 7), {{"M"}, 4, {}});
  EXPECT_EQ(made.message, "4 ranks do not divide axis M = 7 of A");
  EXPECT_EQ(made.hint, "its divisors near 4: 1, 7");
  EXPECT_EQ(divisors_near(96, 5), (std::vector<std::int64_t>{3, 4, 6, 8}));
  EXPECT_EQ(divisors_near(4, 100), (std::vector<std::int64_t>{2, 4}));
}

// Every rank would otherwise be right about no element.
TEST(Shard, NothingIsNotCut) {
  const Definition g = gemm();
  const Problem none = bound(g, 0);
  EXPECT_EQ(cut(g, none, {{"M"}, 1, {}}).message, "axis M = 0 of A: there is nothing to cut");
  EXPECT_EQ(cut(g, none, {{"N"}, 2, {}}).message,
            "no output of workload w has an element: nothing would be judged");
}

TEST(Shard, WhatCannotBeCutSaysWhy) {
  const Definition g = gemm();
  const Problem p = bound(g, 8);
  const Cut misspelt = cut(g, p, {{"m"}, 2, {}});
  EXPECT_EQ(misspelt.message, "gemm has no axis m");
  EXPECT_EQ(misspelt.hint, "did you mean \"M\"?");
  EXPECT_EQ(cut(g, p, {{"unused"}, 2, {}}).message,
            "no input of gemm carries axis unused: there is nothing to cut");
  EXPECT_EQ(cut(g, p, {{"M", "M"}, 2, {}}).message, "axis M is named twice");
  ShardRequest request{{"K"}, 2, {}};
  request.tensors["C"] = "K";
  EXPECT_EQ(cut(g, p, request).message, "C has no axis K to be cut by");
  request.tensors = {};
  request.tensors["D"] = "M";
  EXPECT_EQ(cut(g, p, request).message, "gemm has no tensor D");
}

TEST(Shard, ConstraintsHoldOfWhatARankHas) {
  const Definition g = gemm({"K % 64 == 32"});
  EXPECT_EQ(cut(g, bound(g, 8), {{"K"}, 2, {}}).message,
            "constraint \"K % 64 == 32\" does not hold of what one of 2 ranks has: K = 48");
  EXPECT_EQ(cut(g, bound(g, 8), {{"M"}, 2, {}}).message, "");
}

// A square matrix cut along one of its two equal axes would be no square of the same problem.
TEST(Shard, AnAxisThatATensorHasTwiceIsNotCut) {
  Definition g = gemm();
  g.inputs["A"].shape = {"K", "K"};
  EXPECT_EQ(cut(g, bound(g, 8), {{"K"}, 2, {}}).message,
            "A carries K twice: cut along one of the two it has another meaning");
}

TEST(Shard, InputsAreThePartsOfTheWhole) {
  Problem whole = bound(gemm(), 4);
  whole.inputs.pop_back();  // A [4, 96] alone
  std::vector<float> values(4 * 96);
  std::iota(values.begin(), values.end(), 0.0F);
  Inputs inputs;
  inputs.values.push_back({"A",
                           {},
                           {DType::float32,
                            {4, 96},
                            reinterpret_cast<const std::byte*>(values.data()),
                            values.size() * 4},
                           0,
                           "random 0"});
  const auto element = [](const Inputs& from, std::size_t i) {
    float value = 0;
    std::memcpy(&value, from.values[0].tensor.data + i * 4, 4);
    return value;
  };
  ShardLayout rows{{"M"}, 2, {0}, {0}};
  const Inputs second = rank_inputs(inputs, rank_problem(whole, rows), rows, 1);
  EXPECT_EQ(second.values[0].tensor.shape, (std::vector<std::int64_t>{2, 96}));
  EXPECT_EQ(element(second, 0), 192);
  EXPECT_EQ(element(second, 191), 383);
  EXPECT_EQ(second.values[0].origin, "");  // origin of the whole's bytes is dropped
  ShardLayout columns{{"K"}, 3, {1}, {-1}};
  const Inputs middle = rank_inputs(inputs, rank_problem(whole, columns), columns, 1);
  EXPECT_EQ(element(middle, 0), 32);
  EXPECT_EQ(element(middle, 31), 63);
  EXPECT_EQ(element(middle, 32), 128);  // the next row
  // The page ends behind a part: what lies there is no part of another.
  EXPECT_EQ((middle.values[0].offset + middle.values[0].tensor.bytes) % 4096, 0U);
}

TEST(Shard, TwoElementsOfAByteStayTogether) {
  Definition g = gemm();
  g.inputs["A"].dtype = DType::float4_e2m1;
  EXPECT_EQ(cut(g, bound(g, 8), {{"K"}, 96, {}}).message,
            "96 ranks cut A within a byte: two elements of float4_e2m1 share one");
}

}  // namespace
}  // namespace kbench
