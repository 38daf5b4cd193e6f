// Tensors and numbers of a definition as C++: names, members of a struct, and checks of what a call
// passes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schema/definition.hpp"

namespace kbench {

// Makes C++ names for names of a definition, each its own.
class CppNames {
 public:
  CppNames();
  std::string make(const std::string& name);

 private:
  std::set<std::string> used_;
};

struct CppArgument {
  std::string name;  // name in C++
  const TensorSpec* spec;
  bool is_output;  // its memory is written
  // An output that is a number in Python is a tensor without axes here.
  bool is_scalar() const { return !spec->shape && !is_output; }
  std::vector<std::string> shape() const {
    return spec->shape.value_or(std::vector<std::string>{});
  }
  const char* parameter_type() const;  // "kbench::Tensor", "double"
  std::string element_type() const;    // "const float", "uint16_t"
};

// "  // what: description\n" without the end of the line; "" for nothing.
std::string cpp_comment(const std::string& what, const std::optional<std::string>& description);

// Returns the first line of a header: the definition's name and description.
std::string cpp_title(const Definition& definition);

// "kbench::Tensor x, double factor"
std::string cpp_parameters(const std::vector<CppArgument>& arguments);

// Returns a line of a struct, where it may have another name.
std::string cpp_member(const CppArgument& argument, const std::string& name);

// The axes of a definition in C++, and those whose lengths a call has told so far.
class CppAxes {
 public:
  // Var axes are members of `owner`, "a." say.
  CppAxes(const Definition& definition, CppNames& names, std::string owner);

  std::string constants() const;  // constexpr lines of the const ones
  std::string members() const;    // lines of a struct for the var ones
  // Returns statements that set a struct's member. A tensor has checks of dtype, number of axes and
  // lengths, too, which set the axes that no tensor before has told.
  std::string member_set(const std::string& variable, const std::string& member,
                         const CppArgument& argument);

 private:
  std::string lengths_of(const CppArgument& argument);

  const Definition& definition_;
  std::string owner_;
  std::map<std::string, std::string> axes_;
  std::set<std::string> known_;
};

// The names that the definition has in C++, where they may not be keywords, and the text that needs
// them.
struct CppHeader {
  std::string scope;       // namespace of its names
  std::string parameters;  // "kbench::Tensor x, double factor, kbench::Tensor y"
  std::string arguments;   // "x, factor, y"
  std::string text;        // the header: const axes, struct Arguments, arguments(), which checks
};

CppHeader cpp_header(const Definition& definition);

}  // namespace kbench
