// Functions that sources of C++ define, read from their text.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/signature.hpp"

namespace kbench {

struct CppFunction {
  std::string name;
  std::string scope;         // "mylib::native", "" for the global namespace
  bool is_local = false;     // static, or in a namespace without a name: others cannot call it
  bool is_template = false;  // others cannot call its instances by name
  Signature signature;       // signature whose types are as cpp_type() has them
  // Parameters, by position, that have no name or whose name is no word of the body and of no
  // macro.
  std::set<std::size_t> unread = {};

  bool operator==(const CppFunction&) const = default;
};

struct CppSource {
  // Functions in namespaces, not in classes. Those in `#if 0` do not count, those of `#if` and its
  // alternatives all do; functions that macros make are not among them.
  std::vector<CppFunction> functions;
  bool puts_names_together = false;       // "##" stands in a directive
  std::set<std::string> macro_arguments;  // words that are given to possible macros

  // Tells whether macros may define it.
  bool may_make(const std::string& name) const {
    return puts_names_together || macro_arguments.contains(name);
  }
};
CppSource read_cpp_source(std::string_view source);

// Returns the form in which two types are the same when their functions can be called the same way:
// "const Tensor&" of "kbench::Tensor const &", "double" of "const double".
std::string cpp_type(std::string_view text);
// Returns "Tensor" for "torch.Tensor" and "const kbench::Tensor&": namespaces, const, & and blanks
// change nothing where a value of Python is passed.
std::string plain_type(std::string_view text);

}  // namespace kbench
