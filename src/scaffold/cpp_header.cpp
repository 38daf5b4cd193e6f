#include "scaffold/cpp_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.hpp"

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

// Makes C++ names for names of a definition, each its own.
class CppNames {
 public:
  CppNames() : used_(std::begin(taken_words), std::end(taken_words)) {}
  std::string make(const std::string& name) {
    std::string word;
    for (const char c : name) word += is_word(c) ? c : '_';
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) word = "_" + word;
    while (!used_.insert(word).second) word += '_';
    return word;
  }

 private:
  static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  std::set<std::string> used_;
};

struct Element {
  DType dtype;
  const char* type;  // that its memory is read as
  const char* note;  // what that is, where it is no number
};

constexpr Element elements[] = {
    {DType::float32, "float", ""},
    {DType::float16, "uint16_t", "the bits of a float16"},
    {DType::bfloat16, "uint16_t", "the bits of a bfloat16"},
    {DType::float8_e4m3fn, "uint8_t", "the bits of a float8_e4m3fn"},
    {DType::float8_e5m2, "uint8_t", "the bits of a float8_e5m2"},
    {DType::float4_e2m1, "uint8_t", "two float4_e2m1, the first in the low bits"},
    {DType::int64, "int64_t", ""},
    {DType::int32, "int32_t", ""},
    {DType::int16, "int16_t", ""},
    {DType::int8, "int8_t", ""},
    {DType::boolean, "bool", ""},
};

const Element& element_of(DType dtype) {
  return *std::find_if(std::begin(elements), std::end(elements),
                       [&](const Element& row) { return row.dtype == dtype; });
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

// A text of the definition in a comment: one line.
std::string comment_of(const std::string& what, const std::optional<std::string>& description) {
  std::string text = what;
  if (description && !description->empty()) text += (what.empty() ? "" : ": ") + *description;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return text.empty() ? "" : "  // " + text;
}

struct Argument {
  std::string name;  // in C++
  const TensorSpec* spec;
  bool is_output;
  // An output that is a number in Python is a tensor without axes here.
  bool is_scalar() const { return !spec->shape && !is_output; }
  std::vector<std::string> shape() const {
    return spec->shape.value_or(std::vector<std::string>{});
  }
};

class Writer {
 public:
  explicit Writer(const Definition& definition) : definition_(definition) {
    CppNames names;
    for (const auto& [name, axis] : definition.axes) axes_[name] = names.make(name);
    for (const auto& [name, spec] : definition.inputs)
      arguments_.push_back({names.make(name), &spec, false});
    for (const auto& [name, spec] : definition.outputs)
      arguments_.push_back({names.make(name), &spec, true});
  }

  CppHeader header() {
    CppHeader header;
    header.scope = CppNames().make(definition_.name);
    for (const Argument& argument : arguments_) {
      const char* comma = header.arguments.empty() ? "" : ", ";
      const char* type =
          argument.is_scalar() ? scalar_type(argument.spec->dtype) : "kbench::Tensor";
      header.parameters += fmt::format("{}{} {}", comma, type, argument.name);
      header.arguments += comma + argument.name;
    }
    header.text = fmt::format(
        "{0}\n// Made by kbench new solution, which makes it anew.\n"
        "#pragma once\n\n#include \"kbench_ffi.h\"\n\nnamespace {1} {{\n\n{2}struct Arguments "
        "{{\n{3}}};\n\n"
        "inline Arguments arguments({4}) {{\n  Arguments a{{}};\n{5}  return a;\n}}\n\n"
        "}}  // namespace {1}\n",
        trim(comment_of(definition_.name, definition_.description)), header.scope, constants(),
        members(), header.parameters, checks());
    return header;
  }

 private:
  std::string constants() {
    std::string text;
    for (const auto& [name, axis] : definition_.axes) {
      if (const auto* constant = std::get_if<AxisConst>(&axis))
        text += fmt::format("constexpr int64_t {} = {};{}\n", axes_.at(name), constant->value,
                            comment_of("", constant->description));
    }
    return text.empty() ? "" : text + "\n";
  }

  std::string members() {
    std::string text;
    for (const auto& [name, axis] : definition_.axes) {
      if (const auto* var = std::get_if<AxisVar>(&axis))
        text += fmt::format("  int64_t {};{}\n", axes_.at(name), comment_of("", var->description));
    }
    for (const Argument& argument : arguments_) text += member(argument);
    return text;
  }

  static std::string member(const Argument& argument) {
    const TensorSpec& spec = *argument.spec;
    if (argument.is_scalar())
      return fmt::format("  {} {};{}\n", scalar_type(spec.dtype), argument.name,
                         comment_of("", spec.description));
    const Element& element = element_of(spec.dtype);
    std::string what = "[" + join(argument.shape(), ", ") + "]";
    if (*element.note != '\0') what += fmt::format(", {}", element.note);
    return fmt::format("  {}{}* {};{}\n", argument.is_output ? "" : "const ", element.type,
                       argument.name, comment_of(what, spec.description));
  }

  std::string checks() {
    std::string text;
    std::set<std::string> known;  // var axes of which an argument has told the length
    for (const Argument& argument : arguments_) {
      if (argument.is_scalar()) {
        text += fmt::format("  a.{0} = {0};\n", argument.name);
        continue;
      }
      text += check_of(argument) + lengths_of(argument, known);
      text +=
          fmt::format("  a.{0} = {0}.data<{1}{2}>();\n", argument.name,
                      argument.is_output ? "" : "const ", element_of(argument.spec->dtype).type);
    }
    return text;
  }

  static std::string check_of(const Argument& argument) {
    const DTypeInfo& dtype = info(argument.spec->dtype);
    const std::size_t axes = argument.shape().size();
    return fmt::format(
        "  KBENCH_CHECK({0}.ndim() == {1} && {0}.dtype() == kbench::DType({{{2}, {3}, 1}}) && "
        "{0}.contiguous(),\n               \"{0} is to be {4}, contiguous, of {1} ax{5}s\");\n",
        argument.name, axes, dtype.dlpack_code, dtype.bits, dtype.name, axes == 1 ? "i" : "e");
  }

  std::string lengths_of(const Argument& argument, std::set<std::string>& known) {
    std::string text, same, wanted;
    const std::vector<std::string> shape = argument.shape();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Axis* axis = definition_.axes.find(shape[i]);
      if (axis == nullptr) continue;  // kbench validate says that
      wanted += (wanted.empty() ? "" : ", ") + axes_.at(shape[i]);
      const std::string length = fmt::format("{}.size({})", argument.name, i);
      const bool is_const = std::holds_alternative<AxisConst>(*axis);
      const std::string name = (is_const ? "" : "a.") + axes_.at(shape[i]);
      if (!is_const && known.insert(shape[i]).second)
        text += fmt::format("  {} = {};\n", name, length);
      else
        same += fmt::format("{}{} == {}", same.empty() ? "" : " && ", length, name);
    }
    if (!same.empty())
      text +=
          fmt::format("  KBENCH_CHECK({}, \"{} is to be [{}]\");\n", same, argument.name, wanted);
    return text;
  }

  const Definition& definition_;
  std::map<std::string, std::string> axes_;  // in C++
  std::vector<Argument> arguments_;
};

}  // namespace

CppHeader cpp_header(const Definition& definition) { return Writer(definition).header(); }

}  // namespace kbench
