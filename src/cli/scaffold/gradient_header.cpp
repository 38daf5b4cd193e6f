#include "cli/scaffold/gradient_header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/scaffold/cpp_arguments.hpp"
#include "cli/scaffold/template.hpp"

namespace kbench {
namespace {

// A struct of the header, the function that makes it, and the variable that a call has of it.
struct Group {
  const char* type;      // "OutputGradients"
  const char* maker;     // "output_gradients"
  const char* variable;  // "dy"
  const char* doc;
  std::vector<CppArgument> arguments = {};
  std::vector<std::string> members = {};  // names in the struct
};

bool is_floating(const TensorSpec& spec) { return is_float_of_torch(spec.dtype); }

class GradientWriter {
 public:
  GradientWriter(const Definition& definition, const NewGradient& gradient)
      : definition_(definition), axes_(definition, names_, "x.") {
    for (const std::string_view word :
         split("x y kept dx dy inputs outputs residuals Inputs Outputs Residuals OutputGradients "
               "InputGradients output_gradients input_gradients forward backward keep forward_of "
               "backward_of",
               ' '))
      names_.make(std::string(word));
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
    const std::string constants = axes_.constants();
    std::string structs;
    for (Group* group : {&inputs_, &outputs_, &residuals_, &output_gradients_, &input_gradients_})
      structs += text_of(*group);
    const CppCall forward = call({&inputs_, &outputs_, &residuals_});
    const CppCall backward =
        call({&residuals_, &inputs_, &outputs_, &output_gradients_, &input_gradients_});
    out.text = filled("gradient.h", {{"comment", cpp_title(definition_)},
                                     {"scope", out.scope},
                                     {"constants", constants},
                                     {"structs", structs},
                                     {"forward", forward.parameters},
                                     {"forward_statements", forward.statements},
                                     {"backward", backward.parameters},
                                     {"backward_statements", backward.statements}});
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

  std::string text_of(const Group& group) {
    std::string members, body;
    if (&group == &inputs_) members = axes_.members();
    for (std::size_t i = 0; i < group.arguments.size(); ++i) {
      const CppArgument& argument = group.arguments[i];
      members += cpp_member(argument, group.members[i]);
      body += axes_.member_set(group.variable, group.members[i], argument);
    }
    // An axis of outputs alone is known when they are.
    std::vector<std::string> parameters;
    if (&group == &outputs_) parameters.emplace_back("[[maybe_unused]] Inputs& x");
    if (&group != &outputs_ && &group != &inputs_)
      parameters.emplace_back("[[maybe_unused]] const Inputs& x");
    if (!group.arguments.empty()) parameters.push_back(cpp_parameters(group.arguments));
    return filled("gradient_struct.h", {{"doc", group.doc},
                                        {"type", group.type},
                                        {"members", members},
                                        {"maker", group.maker},
                                        {"parameters", join(parameters, ", ")},
                                        {"variable", group.variable},
                                        {"body", body}});
  }

  CppCall call(const std::vector<Group*>& groups) const {
    CppCall out;
    std::vector<std::string> parameters;
    for (const Group* group : groups)
      if (!group->arguments.empty()) parameters.push_back(cpp_parameters(group->arguments));
    out.parameters = join(parameters, ", ");
    // The others' checks need the axes that these two tell.
    out.statements = statement(inputs_, "") + statement(outputs_, "x");
    for (const Group* group : groups)
      if (group != &inputs_ && group != &outputs_) out.statements += statement(*group, "x");
    return out;
  }

  static std::string statement(const Group& group, const char* first) {
    std::vector<std::string> arguments;
    if (*first != '\0') arguments.emplace_back(first);
    for (const CppArgument& argument : group.arguments) arguments.push_back(argument.name);
    return fmt::format("  {}{} {} = {}({});\n", *first == '\0' ? "" : "const ", group.type,
                       group.variable, group.maker, join(arguments, ", "));
  }

  const Definition& definition_;
  CppNames names_;
  CppAxes axes_;
  Group inputs_{"Inputs", "inputs", "x", "What the definition's function is given."};
  Group outputs_{"Outputs", "outputs", "y", "What forward writes, and backward reads."};
  Group residuals_{
      "Residuals", "residuals", "kept",
      "What forward keeps for backward, and nobody else sees: the sidecar's residuals."};
  Group output_gradients_{"OutputGradients", "output_gradients", "dy",
                          "Weights of the outputs: the cotangent."};
  Group input_gradients_{"InputGradients", "input_gradients", "dx",
                         "What backward writes: the gradient of the sum of dy times y."};
};

}  // namespace

GradientHeader gradient_header(const Definition& definition, const NewGradient& gradient) {
  return GradientWriter(definition, gradient).header();
}

}  // namespace kbench
