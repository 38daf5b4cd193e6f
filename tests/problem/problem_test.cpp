#include "problem/problem.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(TensorBytes, CountsInputsAndOutputsOnce) {
  Problem problem;
  problem.inputs.push_back({{"a", DType::bfloat16, false, {3, 5}}, {}});
  problem.inputs.push_back({{"b", DType::float4_e2m1, false, {8}}, {}});
  problem.inputs.push_back({{"scale", DType::float32, true, {}}, {}});
  problem.outputs.push_back({"y", DType::float32, false, {}});
  EXPECT_EQ(tensor_bytes(problem), 30U + 4U + 4U);
}

TEST(ReductionLength, IsOfAxesThatNoOutputHas) {
  Definition definition;
  definition.inputs["a"].shape = {"M", "K", "L"};
  definition.inputs["b"].shape = {"N", "K"};
  definition.inputs["index"].shape = {"T"};
  definition.inputs["index"].dtype = DType::int32;
  definition.outputs["y"].shape = {"M", "N"};
  Problem problem;
  problem.axes["M"] = 2;
  problem.axes["N"] = 3;
  problem.axes["K"] = 5;
  problem.axes["L"] = 7;
  problem.axes["T"] = 99;
  EXPECT_EQ(reduction_length(definition, problem), 35);
  definition.outputs["z"].shape = {"K", "L"};
  EXPECT_EQ(reduction_length(definition, problem), 7);  // a norm over the last axis
}

TEST(StandsAlone, WhatAReductionLeavesDoes) {
  Definition definition;
  definition.inputs["x"].shape = {"M", "H", "N"};
  definition.inputs["w"].shape = {"N"};
  const auto alone = [&](const std::optional<std::vector<std::string>>& shape) {
    TensorSpec spec;
    spec.shape = shape;
    return stands_alone(definition, spec);
  };
  EXPECT_TRUE(alone(std::vector<std::string>{"M"}));
  EXPECT_TRUE(alone(std::vector<std::string>{"M", "H"}));
  EXPECT_FALSE(alone(std::vector<std::string>{"M", "N"}));  // a softmax divides them by one sum
  EXPECT_FALSE(alone(std::vector<std::string>{"M", "K"}));  // scores of K chosen ones
  EXPECT_FALSE(alone(std::vector<std::string>{}));
  EXPECT_FALSE(alone(std::nullopt));
  definition.inputs["table"].shape = {"N", "H"};
  EXPECT_FALSE(alone(std::vector<std::string>{"M", "H"}));
}

}  // namespace
}  // namespace kbench
