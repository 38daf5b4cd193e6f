#include "scaffold/gradient_header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "scaffold/cpp_arguments.hpp"

namespace kbench {
namespace {

// A struct of the header, the function that makes it, and the variable that a call has of it.
struct Group {
  const char* type;      // "OutputGradients"
  const char* maker;     // "output_gradients"
  const char* variable;  // "dy"
  const char* doc;
  std::vector<CppArgument> arguments;
  std::vector<std::string> members;  // names in the struct
};

bool is_floating(const TensorSpec& spec) {
  return info(spec.dtype).kind == DTypeKind::floating && spec.dtype != DType::float4_e2m1;
}

class GradientWriter {
 public:
  GradientWriter(const Definition& definition, const NewGradient& gradient)
      : definition_(definition), axes_(definition, names_, "x.") {
    for (const char* word : {"x",
                             "y",
                             "kept",
                             "dx",
                             "dy",
                             "inputs",
                             "outputs",
                             "residuals",
                             "Inputs",
                             "Outputs",
                             "Residuals",
                             "OutputGradients",
                             "InputGradients",
                             "output_gradients",
                             "input_gradients",
                             "forward",
                             "backward",
                             "keep",
                             "forward_of",
                             "backward_of"})
      names_.make(word);
    for (const auto& [name, spec] : definition.inputs) add(inputs_, name, "", spec, false);
    for (const auto& [name, spec] : definition.outputs) add(outputs_, name, "", spec, true);
    for (const auto& [name, spec] : gradient.residuals) add(residuals_, name, "", spec, true);
    for (const auto& [name, spec] : definition.outputs)
      if (is_floating(spec)) add(output_gradients_, name, "d_", spec, false);
    for (const auto& [name, spec] : definition.inputs) {
      const auto& none = gradient.nondiff;
      const bool is_nondiff = std::find(none.begin(), none.end(), name) != none.end();
      if (spec.shape && is_floating(spec) && !is_nondiff)
        add(input_gradients_, name, "d_", spec, true);
    }
  }

  GradientHeader header() {
    GradientHeader out;
    out.scope = CppNames().make(definition_.name);
    std::string body = axes_.constants();
    for (Group* group : {&inputs_, &outputs_, &residuals_, &output_gradients_, &input_gradients_})
      body += text_of(*group);
    body += entry("template <auto forward, auto keep>\n", "forward_of",
                  call({&inputs_, &outputs_, &residuals_}), "forward(x, y);\n  keep(x, y, kept);");
    body += entry("template <auto backward>\n", "backward_of",
                  call({&residuals_, &inputs_, &outputs_, &output_gradients_, &input_gradients_}),
                  "backward(kept, x, y, dy, dx);");
    out.text = fmt::format(
        "{0}\n// Made by kbench new solution --gradient, which makes it anew: residuals and "
        "nondiff "
        "are from\n// the sidecar. What is only read in a call is there on pages that cannot be "
        "written.\n#pragma once\n\n#include \"kbench_ffi.h\"\n\nnamespace {1} {{\n\n{2}}}  // "
        "namespace {1}\n",
        trim(cpp_comment(definition_.name, definition_.description)), out.scope, body);
    out.run = call({&inputs_, &outputs_});
    return out;
  }

 private:
  // Members have the tensor's own name: dy.output is the gradient of y.output.
  void add(Group& group, const std::string& name, const char* prefix, const TensorSpec& spec,
           bool is_output) {
    group.arguments.push_back({names_.make(prefix + name), &spec, is_output});
    group.members.push_back(CppNames().make(name));
  }

  static std::string parameters_of(const Group& group) {
    std::vector<std::string> parameters;
    for (const CppArgument& argument : group.arguments)
      parameters.push_back(fmt::format("{} {}", argument.parameter_type(), argument.name));
    return join(parameters, ", ");
  }

  std::string text_of(const Group& group) {
    std::string members, body;
    if (&group == &inputs_) members = axes_.members();
    const char* const variable = group.variable;
    for (std::size_t i = 0; i < group.arguments.size(); ++i) {
      const CppArgument& argument = group.arguments[i];
      members += cpp_member(argument, group.members[i]);
      if (!argument.is_scalar()) body += axes_.checks(argument);
      body += argument.is_scalar()
                  ? fmt::format("  {}.{} = {};\n", variable, group.members[i], argument.name)
                  : fmt::format("  {0}.{1} = {2}.data<{3}>();\n", variable, group.members[i],
                                argument.name, argument.element_type());
    }
    // An axis of outputs alone is known when they are.
    const char* const known = &group == &inputs_    ? ""
                              : &group == &outputs_ ? "[[maybe_unused]] Inputs& x"
                                                    : "[[maybe_unused]] const Inputs& x";
    const std::string parameters = parameters_of(group);
    const char* const comma = *known != '\0' && !parameters.empty() ? ", " : "";
    return fmt::format(
        "// {0}\nstruct {1} {{\n{2}}};\n\ninline {1} {3}({4}{5}{6}) {{\n  {1} {7}{{}};\n{8}  "
        "return "
        "{7};\n}}\n\n",
        group.doc, group.type, members, group.maker, known, comma, parameters, variable, body);
  }

  CppCall call(const std::vector<Group*>& groups) const {
    CppCall out;
    std::vector<std::string> parameters;
    for (const Group* group : groups)
      if (!group->arguments.empty()) parameters.push_back(parameters_of(*group));
    out.parameters = join(parameters, ", ");
    // The others' checks need the axes that these two tell.
    out.statements.push_back(statement(inputs_, ""));
    out.statements.push_back(statement(outputs_, "x"));
    for (const Group* group : groups)
      if (group != &inputs_ && group != &outputs_) out.statements.push_back(statement(*group, "x"));
    return out;
  }

  static std::string entry(const char* before, const char* name, const CppCall& call,
                           const char* then) {
    std::string text = fmt::format("{}void {}({}) {{\n", before, name, call.parameters);
    for (const std::string& statement : call.statements) text += "  " + statement + "\n";
    return text + fmt::format("  {}\n}}\n\n", then);
  }

  static std::string statement(const Group& group, const char* first) {
    std::vector<std::string> arguments;
    if (*first != '\0') arguments.emplace_back(first);
    for (const CppArgument& argument : group.arguments) arguments.push_back(argument.name);
    return fmt::format("{}{} {} = {}({});", *first == '\0' ? "" : "const ", group.type,
                       group.variable, group.maker, join(arguments, ", "));
  }

  const Definition& definition_;
  CppNames names_;
  CppAxes axes_;
  Group inputs_{"Inputs", "inputs", "x", "What the definition's function is given.", {}, {}};
  Group outputs_{"Outputs", "outputs", "y", "What forward writes, and backward reads.", {}, {}};
  Group residuals_{
      "Residuals",
      "residuals",
      "kept",
      "What forward keeps for backward, and nobody else sees: the sidecar's residuals.",
      {},
      {}};
  Group output_gradients_{"OutputGradients",
                          "output_gradients",
                          "dy",
                          "Weights of the outputs: the cotangent.",
                          {},
                          {}};
  Group input_gradients_{"InputGradients",
                         "input_gradients",
                         "dx",
                         "What backward writes: the gradient of the sum of dy times y.",
                         {},
                         {}};
};

}  // namespace

GradientHeader gradient_header(const Definition& definition, const NewGradient& gradient) {
  return GradientWriter(definition, gradient).header();
}

}  // namespace kbench
