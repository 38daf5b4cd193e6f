// FlashInfer-Bench's helpers on shapes: shared/outside/flashinfer-bench/vectors/shape_vectors.json.
#include "problem/problem.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.hpp"
#include "problem/bind.hpp"
#include "problem/tensor_view.hpp"
#include "schema/read.hpp"
#include "support/outside.hpp"

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

constexpr std::size_t page = 4096;

TEST(Place, ATensorEndsWithItsPagesUpToTheAlignment) {
  for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 4000UL, 4096UL, 4097UL, 100000UL}) {
    const Placement at = among_pages(bytes, page);
    EXPECT_EQ(at.size % page, 0U) << bytes;
    EXPECT_EQ(at.data % 64, 0U) << bytes;
    EXPECT_LE(at.data + bytes, at.size);
    EXPECT_LT(at.size - at.data - bytes, 64U) << bytes;
    EXPECT_LE(at.data, page) << bytes;  // no page too many
  }
}

class Poison : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 100;
  static constexpr std::byte margin{0x5A};
  Placement place_ = among_pages(bytes, page);
  std::vector<std::byte> pages_ = std::vector<std::byte>(place_.size);

  void SetUp() override { poison(pages_.data(), place_, bytes, 0x0807060504030201U, margin); }
  bool is_whole() const { return is_margin_whole(pages_.data(), place_, bytes, margin); }
};

TEST_F(Poison, RepeatsThePatternToTheLastByte) {
  for (std::size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(pages_[place_.data + i], static_cast<std::byte>(i % 8 + 1)) << i;
}

TEST_F(Poison, AnyByteBesideTheTensorIsSeen) {
  EXPECT_TRUE(is_whole());
  for (const std::size_t i :
       {std::size_t{0}, place_.data - 1, place_.data + bytes, place_.size - 1}) {
    pages_[i] ^= std::byte{1};
    EXPECT_FALSE(is_whole()) << i;
    pages_[i] ^= std::byte{1};
  }
  pages_[place_.data] ^= std::byte{1};
  pages_[place_.data + bytes - 1] ^= std::byte{1};
  EXPECT_TRUE(is_whole());
}

using json =
    nlohmann::ordered_json;  // the order of axes and inputs is what these vectors are about

void check_shapes(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                  const json& expected) {
  OrderedMap<std::int64_t> axes;
  for (const auto& [name, value] : expected["axes"].items()) axes[name] = value.get<std::int64_t>();
  const Shapes shapes = shapes_of(definition, tensors, axes);
  EXPECT_EQ(shapes.error, expected.value("message", ""));
  json got = json::array();
  for (const MaybeShape& shape : shapes.shapes) got.push_back(shape ? json(*shape) : json());
  EXPECT_EQ(got, expected.value("result", got));
}

TEST(ShapeVectors, AllHold) {
  KBENCH_NEEDS_OUTSIDE();
  const json all = json::parse(read_file(outside_folder() / "vectors" / "shape_vectors.json"));
  for (const json& vector : all) {
    SCOPED_TRACE(vector["label"].get<std::string>());
    Diagnostics problems;
    const auto definition = read_text<Definition>({"v", vector["definition"].dump()}, {}, problems);
    ASSERT_TRUE(definition.has_value());
    for (const auto& [key, tensors] : {std::pair("get_input_shapes", &definition->inputs),
                                       {"get_output_shapes", &definition->outputs}})
      if (vector.contains(key)) check_shapes(*definition, *tensors, vector[key]);
  }
}

}  // namespace

}  // namespace kbench
