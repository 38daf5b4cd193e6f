#include "scaffold/cpp_header.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "scaffold/cpp_arguments.hpp"

namespace kbench {
namespace {

class ForwardWriter {
 public:
  explicit ForwardWriter(const Definition& definition)
      : definition_(definition), axes_(definition, names_, "a.") {
    for (const auto& [name, spec] : definition.inputs)
      arguments_.push_back({names_.make(name), &spec, false});
    for (const auto& [name, spec] : definition.outputs)
      arguments_.push_back({names_.make(name), &spec, true});
  }

  CppHeader header() {
    CppHeader header;
    header.scope = CppNames().make(definition_.name);
    for (const CppArgument& argument : arguments_) {
      const char* comma = header.arguments.empty() ? "" : ", ";
      header.parameters += fmt::format("{}{} {}", comma, argument.parameter_type(), argument.name);
      header.arguments += comma + argument.name;
    }
    header.text = fmt::format(
        "{0}\n// Made by kbench new solution, which makes it anew.\n"
        "#pragma once\n\n#include \"kbench_ffi.h\"\n\nnamespace {1} {{\n\n{2}struct Arguments "
        "{{\n{3}}};\n\n"
        "inline Arguments arguments({4}) {{\n  Arguments a{{}};\n{5}  return a;\n}}\n\n"
        "}}  // namespace {1}\n",
        trim(cpp_comment(definition_.name, definition_.description)), header.scope,
        axes_.constants(), members(), header.parameters, checks());
    return header;
  }

 private:
  std::string members() const {
    std::string text = axes_.members();
    for (const CppArgument& argument : arguments_) text += cpp_member(argument, argument.name);
    return text;
  }

  std::string checks() {
    std::string text;
    for (const CppArgument& argument : arguments_) {
      if (argument.is_scalar())
        text += fmt::format("  a.{0} = {0};\n", argument.name);
      else
        text += fmt::format("{0}  a.{1} = {1}.data<{2}>();\n", axes_.checks(argument),
                            argument.name, argument.element_type());
    }
    return text;
  }

  const Definition& definition_;
  CppNames names_;
  CppAxes axes_;
  std::vector<CppArgument> arguments_;
};

}  // namespace

CppHeader cpp_header(const Definition& definition) { return ForwardWriter(definition).header(); }

}  // namespace kbench
