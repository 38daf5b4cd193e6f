#include "cli/scaffold/cpp_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/scaffold/template.hpp"

namespace kbench {
namespace {

// Names that a parameter, a member or a namespace cannot have.
constexpr std::string_view taken_words[] = {
    "Arguments", "a",         "alignas", "arguments", "auto",     "bool",      "case",
    "catch",     "char",      "compute", "const",     "decltype", "default",   "delete",
    "do",        "double",    "enum",    "explicit",  "export",   "extern",    "false",
    "float",     "friend",    "goto",    "inline",    "int",      "kbench",    "long",
    "mutable",   "namespace", "new",     "operator",  "private",  "protected", "public",
    "register",  "run",       "short",   "signed",    "sizeof",   "static",    "struct",
    "switch",    "template",  "this",    "throw",     "true",     "typedef",   "typename",
    "union",     "unsigned",  "using",   "virtual",   "void",     "volatile",  "and",
    "asm",       "break",     "class",   "continue",  "else",     "for",       "if",
    "not",       "or",        "return",  "std",       "try",      "while",     "xor"};

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Element {
  std::string type;  // type that its memory is read as
  std::string note;  // meaning of a type that is no number
};

Element element_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == DTypeKind::boolean) return {"bool", ""};
  if (dtype == DType::float32) return {"float", ""};
  if (type.bits < 8)
    return {"uint8_t", fmt::format("two {}, the first in the low bits", type.name)};
  if (type.kind == DTypeKind::floating)
    return {fmt::format("uint{}_t", type.bits), fmt::format("the bits of a {}", type.name)};
  return {fmt::format("{}int{}_t", has_sign(dtype) ? "" : "u", type.bits), ""};
}

const char* scalar_type(DType dtype) {
  switch (info(dtype).kind) {
    case DTypeKind::floating:
      return "double";
    case DTypeKind::integer:
      return "int64_t";
    case DTypeKind::boolean:
      return "bool";
  }
  return "double";
}

std::string check_of(const CppArgument& argument) {
  const DTypeInfo& dtype = info(argument.spec->dtype);
  const std::size_t axes = argument.shape().size();
  return fmt::format(
      "  KBENCH_CHECK({0}.ndim() == {1} && {0}.dtype() == kbench::DType({{{2}, {3}, 1}}) && "
      "{0}.contiguous(),\n               \"{0} is to be {4}, contiguous, of {1} ax{5}s\");\n",
      argument.name, axes, dtype.dlpack_code, dtype.bits, dtype.name, axes == 1 ? "i" : "e");
}

}  // namespace

CppNames::CppNames() : used_(std::begin(taken_words), std::end(taken_words)) {}

std::string CppNames::make(const std::string& name) {
  std::string word;
  for (const char c : name) word += is_word(c) ? c : '_';
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) word = "_" + word;
  while (!used_.insert(word).second) word += '_';
  return word;
}

const char* CppArgument::parameter_type() const {
  return is_scalar() ? scalar_type(spec->dtype) : "kbench::Tensor";
}

std::string CppArgument::element_type() const {
  return fmt::format("{}{}", is_output ? "" : "const ", element_of(spec->dtype).type);
}

std::string cpp_comment(const std::string& what, const std::optional<std::string>& description) {
  std::string text = what;
  if (description && !description->empty()) text += (what.empty() ? "" : ": ") + *description;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return text.empty() ? "" : "  // " + printable(text);
}

std::string cpp_title(const Definition& definition) {
  return std::string(trim(cpp_comment(definition.name, definition.description)));
}

std::string cpp_parameters(const std::vector<CppArgument>& arguments) {
  std::vector<std::string> out;
  for (const CppArgument& argument : arguments)
    out.push_back(fmt::format("{} {}", argument.parameter_type(), argument.name));
  return join(out, ", ");
}

std::string cpp_member(const CppArgument& argument, const std::string& name) {
  const TensorSpec& spec = *argument.spec;
  if (argument.is_scalar())
    return fmt::format("  {} {};{}\n", scalar_type(spec.dtype), name,
                       cpp_comment("", spec.description));
  std::string what = "[" + join(argument.shape(), ", ") + "]";
  const Element& element = element_of(spec.dtype);
  if (!element.note.empty()) what += fmt::format(", {}", element.note);
  return fmt::format("  {}* {};{}\n", argument.element_type(), name,
                     cpp_comment(what, spec.description));
}

CppAxes::CppAxes(const Definition& definition, CppNames& names, std::string owner)
    : definition_(definition), owner_(std::move(owner)) {
  for (const auto& [name, axis] : definition.axes) axes_[name] = names.make(name);
}

std::string CppAxes::constants() const {
  std::string text;
  for (const auto& [name, axis] : definition_.axes) {
    if (const auto* constant = std::get_if<AxisConst>(&axis))
      text += fmt::format("constexpr int64_t {} = {};{}\n", axes_.at(name), constant->value,
                          cpp_comment("", constant->description));
  }
  return text.empty() ? "" : text + "\n";
}

std::string CppAxes::members() const {
  std::string text;
  for (const auto& [name, axis] : definition_.axes) {
    if (const auto* var = std::get_if<AxisVar>(&axis))
      text += fmt::format("  int64_t {};{}\n", axes_.at(name), cpp_comment("", var->description));
  }
  return text;
}

std::string CppAxes::member_set(const std::string& variable, const std::string& member,
                                const CppArgument& argument) {
  if (argument.is_scalar()) return fmt::format("  {}.{} = {};\n", variable, member, argument.name);
  return check_of(argument) + lengths_of(argument) +
         fmt::format("  {}.{} = {}.data<{}>();\n", variable, member, argument.name,
                     argument.element_type());
}

std::string CppAxes::lengths_of(const CppArgument& argument) {
  std::string text, same, wanted;
  const std::vector<std::string> shape = argument.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Axis* axis = definition_.axes.find(shape[i]);
    if (axis == nullptr) continue;  // kbench validate reports it
    wanted += (wanted.empty() ? "" : ", ") + axes_.at(shape[i]);
    const std::string length = fmt::format("{}.size({})", argument.name, i);
    const bool is_const = std::holds_alternative<AxisConst>(*axis);
    const std::string name = (is_const ? "" : owner_) + axes_.at(shape[i]);
    if (!is_const && known_.insert(shape[i]).second)
      text += fmt::format("  {} = {};\n", name, length);
    else
      same += fmt::format("{}{} == {}", same.empty() ? "" : " && ", length, name);
  }
  if (!same.empty())
    text += fmt::format("  KBENCH_CHECK({}, \"{} is to be [{}]\");\n", same, argument.name, wanted);
  return text;
}

CppHeader cpp_header(const Definition& definition) {
  CppNames names;
  CppAxes axes(definition, names, "a.");
  std::vector<CppArgument> arguments;
  for (const auto& [name, spec] : definition.inputs)
    arguments.push_back({names.make(name), &spec, false});
  for (const auto& [name, spec] : definition.outputs)
    arguments.push_back({names.make(name), &spec, true});
  std::vector<std::string> words;
  std::string members = axes.members(), body;
  for (const CppArgument& argument : arguments) {
    words.push_back(argument.name);
    members += cpp_member(argument, argument.name);
    body += axes.member_set("a", argument.name, argument);
  }
  CppHeader header{CppNames().make(definition.name), cpp_parameters(arguments), join(words, ", "),
                   ""};
  header.text = filled("solution.h", {{"comment", cpp_title(definition)},
                                      {"scope", header.scope},
                                      {"constants", axes.constants()},
                                      {"members", members},
                                      {"parameters", header.parameters},
                                      {"body", body}});
  return header;
}

}  // namespace kbench
