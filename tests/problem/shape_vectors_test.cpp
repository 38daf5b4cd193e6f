// FlashInfer-Bench's helpers on shapes: shared/outside/flashinfer-bench/vectors/shape_vectors.json.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "problem/bind.hpp"
#include "schema/read.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

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
