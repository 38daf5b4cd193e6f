// RegisterMeta.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/registry/operator_binding.hpp"

namespace kbench {
namespace {

using Bound = BoundValue::Kind;

// Shapes of a Definition as values of kbench_torch_meta.h.
class Shapes {
 public:
  Shapes(const Definition& definition, const OperatorBinding& binding) : definition_(definition) {
    const auto arguments = ops::arguments_of(binding.schema);
    for (std::size_t i = 0; i < binding.values.size(); ++i) {
      const BoundValue& value = binding.values[i];
      if (value.kind == Bound::axis)
        lengths_.push_back(fmt::format("{{{}, {}}}", i, axis(value.text)));
      add_constant(value, i, *arguments[i]);
      add(value, i, -1);
      for (std::size_t item = 0; item < value.items.size(); ++item)
        add(value.items[item], i, static_cast<int>(item));
    }
  }

  std::string text() const {
    std::vector<std::string> axes;
    const std::string constants = all_keep_a_shape() ? "" : join(constants_, ", ");
    for (const auto& [name, one] : definition_.axes.items)
      axes.push_back(std::to_string(const_value(one).value_or(-1)));
    return fmt::format(
        "      {{{},\n       {{{}}},\n       {{{}}},\n       {{{}}},\n       {{{}}},\n       "
        "{{{}}}}},\n",
        quoted_in_cpp(definition_.name), join(axes, ", "), join(inputs_, ", "),
        join(lengths_, ", "), constants, join(outputs_, ", "));
  }

 private:
  std::size_t axis(const std::string& name) const {
    const auto& items = definition_.axes.items;
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const auto& one) { return one.first == name; });
    return static_cast<std::size_t>(found - items.begin());
  }

  // Tells whether each output has the shape of an input, whatever the numbers of a call.
  bool all_keep_a_shape() const {
    return std::all_of(definition_.outputs.items.begin(), definition_.outputs.items.end(),
                       [&](const auto& output) {
                         const auto& inputs = definition_.inputs.items;
                         return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
                           return input.second.shape == output.second.shape;
                         });
                       });
  }

  // Adds the numbers of a constant: a call with others need not have the Definition's sizes.
  void add_constant(const BoundValue& value, std::size_t i, const ops::Argument& argument) {
    using ops::BaseType;
    const BaseType base = argument.type.base;
    if (base != BaseType::integer && base != BaseType::sym_int && base != BaseType::boolean) return;
    const bool is_list = value.kind == Bound::list;
    if (value.kind == Bound::none) constants_.push_back(fmt::format("{{{}, std::nullopt}}", i));
    if (!is_list && value.kind != Bound::constant) return;
    std::vector<std::string> numbers;
    for (const BoundValue& item : is_list ? value.items : std::vector{value}) {
      if (item.kind != Bound::constant) return;  // axis of a list
      numbers.push_back(item.text == "True" ? "1" : item.text == "False" ? "0" : item.text);
    }
    constants_.push_back(fmt::format("{{{}, std::vector<int64_t>{{{}}}}}", i, join(numbers, ", ")));
  }

  void add(const BoundValue& value, std::size_t argument, int item) {
    if (value.kind != Bound::input && value.kind != Bound::output) return;
    const bool is_input = value.kind == Bound::input;
    const auto& tensors = is_input ? definition_.inputs : definition_.outputs;
    const TensorSpec& spec = tensors.items[value.index].second;
    if (!spec.shape) return;
    std::vector<std::size_t> axes;
    for (const std::string& name : *spec.shape) axes.push_back(axis(name));
    (is_input ? inputs_ : outputs_)
        .push_back(fmt::format("{{{}, {}, {{{}}}}}", argument, item, numbers_text(axes)));
  }

  const Definition& definition_;
  std::vector<std::string> inputs_, lengths_, constants_, outputs_;
};

std::string shapes_text(const GeneratedOperator& one, const CodegenInput& input,
                        Diagnostics& diagnostics) {
  std::string out;
  for (const Definition* definition : input.definitions) {
    if (!is_linked_to(*definition, one.name)) continue;
    std::vector<std::string> problems;
    const auto binding = bind_operator(*definition, one.entry->schema, problems);
    if (binding) out += Shapes(*definition, *binding).text();
    for (const std::string& problem : problems)
      diagnostics.warning({definition->name},
                          fmt::format("gives no sizes of {}: {}", one.name, problem));
  }
  return out;
}

std::string function_text(const GeneratedOperator& one, const CodegenInput& input,
                          Diagnostics& diagnostics) {
  const ops::Schema& schema = one.entry->schema;
  const std::string returned = numbers_text(*returned_arguments(schema));
  std::string body;
  if (!one.entry->is_custom) {
    body = "  infer_by_aten(op, stack);\n";
  } else if (schema.out.empty()) {
    body = fmt::format("  keep_sizes(op, stack, {{{}}});\n", returned);
  } else {
    body = fmt::format(
        "  // axes; inputs as argument, item of a list, axes; lengths and constants as argument "
        "and "
        "what it is given; outputs as inputs\n"
        "  static const std::vector<NamedShapes> known = {{\n{}  }};\n"
        "  infer_by_definition(op, stack, known, {{{}}});\n",
        shapes_text(one, input, diagnostics), returned);
  }
  return fmt::format(
      "\n// {}\nvoid meta_{}(const c10::OperatorHandle& op, torch::jit::Stack* stack) {{\n{}}}\n",
      comment_in_cpp(ops::text(schema)), one.identifier, body);
}

}  // namespace

std::string torch_meta_text(const std::vector<GeneratedOperator>& operators,
                            const CodegenInput& input, const std::string& library,
                            Diagnostics& diagnostics) {
  std::string out = generated_banner() +
                    "// The sizes that outputs get.\n#include \"kbench_torch_meta.h\"\n\n"
                    "namespace {\n\nusing namespace kbench::torch_library;\n";
  for (const GeneratedOperator& one : operators) out += function_text(one, input, diagnostics);
  return out + "\n}  // namespace\n" + implementations_text(operators, library, "Meta", "meta_{}");
}

}  // namespace kbench
