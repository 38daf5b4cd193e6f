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
using Unordered = nlohmann::json;

std::vector<MaybeShape> shapes_from(const json& list) {
  std::vector<MaybeShape> shapes;
  for (const json& shape : list)
    shapes.push_back(shape.is_null() ? MaybeShape() : MaybeShape(shape.get<Shape>()));
  return shapes;
}

json to_json_list(const std::vector<MaybeShape>& shapes) {
  json out = json::array();
  for (const MaybeShape& shape : shapes) out.push_back(shape ? json(*shape) : json());
  return out;
}

void check_axis_values(const Definition& definition, const json& expected) {
  const AxisValues values = axis_values(definition, shapes_from(expected["input_shapes"]));
  EXPECT_EQ(values.error, expected.value("message", ""));
  if (!expected.contains("result")) return;
  json got = json::object();
  for (const auto& [name, value] : values.axes) got[name] = value;
  EXPECT_EQ(Unordered(got), Unordered(expected["result"]));
}

void check_shapes(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                  const json& expected) {
  OrderedMap<std::int64_t> axes;
  for (const auto& [name, value] : expected["axes"].items()) axes[name] = value.get<std::int64_t>();
  const Shapes shapes = shapes_of(definition, tensors, axes);
  EXPECT_EQ(shapes.error, expected.value("message", ""));
  if (expected.contains("result")) {
    EXPECT_EQ(to_json_list(shapes.shapes), expected["result"]);
  }
}

void check_merge(const Definition& definition, const json& expected) {
  std::vector<std::string> positional;
  for (const json& value : expected["args"]) positional.push_back(value.dump());
  OrderedMap<std::string> named;
  for (const auto& [name, value] : expected["kwargs"].items()) named[name] = value.dump();
  const Arguments merged = merge_arguments(definition, positional, named);
  EXPECT_EQ(merged.error, expected.value("message", ""));
  if (!expected.contains("result")) return;
  json got = json::array();
  for (const std::string& value : merged.values) got.push_back(json::parse(value));
  EXPECT_EQ(got, expected["result"]);
}

void check_vector(const json& vector) {
  SCOPED_TRACE(vector["label"].get<std::string>());
  Diagnostics problems;
  const auto definition = read_text<Definition>({"v", vector["definition"].dump()}, {}, problems);
  ASSERT_TRUE(definition.has_value());
  json bindings = json::object();
  for (const auto& [axis, binding] : var_axis_bindings(*definition))
    bindings[axis] = json::array({binding.input, binding.dimension});
  EXPECT_EQ(Unordered(bindings), Unordered(vector["var_axes_bindings"]));
  if (vector.contains("get_axes_values")) check_axis_values(*definition, vector["get_axes_values"]);
  if (vector.contains("get_input_shapes"))
    check_shapes(*definition, definition->inputs, vector["get_input_shapes"]);
  if (vector.contains("merge_kwargs_to_args"))
    check_merge(*definition, vector["merge_kwargs_to_args"]);
  if (vector.contains("get_output_shapes"))
    check_shapes(*definition, definition->outputs, vector["get_output_shapes"]);
}

TEST(ShapeVectors, AllHold) {
  KBENCH_NEEDS_OUTSIDE();
  const auto vectors = json::parse(read_file(outside_folder() / "vectors" / "shape_vectors.json"));
  for (const json& vector : vectors) check_vector(vector);
}

}  // namespace
}  // namespace kbench
