// Definition: the task of a kernel. FlashInfer-Bench's schema, its nouns unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "schema/containers.hpp"
#include "schema/dtype.hpp"
#include "schema/field.hpp"

namespace kbench {

struct AxisConst {
  std::string type = "const";
  std::int64_t value = 0;
  std::optional<std::string> description;
  FieldSet present{};
};

struct AxisVar {
  std::string type = "var";
  std::optional<std::string> description;
  FieldSet present{};
};

// An object without "type" is a const axis if it has a "value", else a var axis.
using Axis = std::variant<AxisConst, AxisVar>;

struct TensorSpec {
  std::optional<std::vector<std::string>> shape;  // axis names; nothing: a Python scalar; []: 0-D
  DType dtype = DType::float32;
  std::optional<std::string> description;
  FieldSet present{};
};

struct Definition {
  std::string name;
  std::string op_type;
  OrderedMap<Axis> axes;
  OrderedMap<TensorSpec> inputs;
  OrderedMap<TensorSpec> outputs;
  std::string reference;
  std::vector<std::string> tags;
  std::optional<std::string> description;
  std::vector<std::string> constraints;
  std::optional<RawJson> op_arguments;  // arguments, by name, of the operator in a tag "op:…"
  FieldSet present{};
};

// Returns the length of a const axis, nothing for a var axis.
std::optional<std::int64_t> const_value(const Axis& axis);

constexpr auto fields(const AxisConst*) {
  return std::tuple{
      Field{"type", &AxisConst::type, Need::optional, Rule::any, "Always \"const\"."},
      Field{"value", &AxisConst::value, Need::required, Rule::non_negative, "The axis's length."},
      Field{"description", &AxisConst::description, Need::optional, Rule::any,
            "What the axis is."}};
}

constexpr auto fields(const AxisVar*) {
  return std::tuple{
      Field{"type", &AxisVar::type, Need::optional, Rule::any, "Always \"var\"."},
      Field{"description", &AxisVar::description, Need::optional, Rule::any, "What the axis is."}};
}

constexpr auto fields(const TensorSpec*) {
  return std::tuple{Field{"shape", &TensorSpec::shape, Need::required, Rule::non_empty,
                          "Axis names, outermost first; [] is a 0-D tensor, null a Python scalar."},
                    Field{"dtype", &TensorSpec::dtype, Need::required, Rule::any, "Element type."},
                    Field{"description", &TensorSpec::description, Need::optional, Rule::any,
                          "What the tensor is."}};
}

constexpr auto fields(const Definition*) {
  return std::tuple{
      Field{"name", &Definition::name, Need::required, Rule::name,
            "Unique name, by convention <op_type>_<properties>_<constants>."},
      Field{"op_type", &Definition::op_type, Need::required, Rule::name,
            "Category of the computation; the folder under definitions/."},
      Field{"axes", &Definition::axes, Need::required, Rule::name,
            "Named dimensions: const axes are fixed, var axes come from each workload."},
      Field{"inputs", &Definition::inputs, Need::required, Rule::name,
            "Inputs by name; their order is the order of arguments."},
      Field{"outputs", &Definition::outputs, Need::required, Rule::name,
            "Outputs by name; their order is the order of results."},
      Field{"reference", &Definition::reference, Need::required, Rule::text,
            "Python source with a top-level function run(inputs…) in plain PyTorch."},
      Field{"tags", &Definition::tags, Need::nullable, Rule::non_empty,
            "Labels, \"namespace:value\" or a flag."},
      Field{"description", &Definition::description, Need::optional, Rule::any,
            "What the kernel is for."},
      Field{"constraints", &Definition::constraints, Need::nullable, Rule::text,
            "Python expressions over the axes that every workload fulfils."},
      Field{"op_arguments", &Definition::op_arguments, Need::extension, Rule::any,
            "Arguments of the operator that a tag \"op:ns::name.overload\" names, where these are "
            "no inputs of the same name: constants, names of inputs and axes, or lists of these."}};
}

}  // namespace kbench
