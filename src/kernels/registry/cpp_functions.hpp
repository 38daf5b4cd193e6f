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
  bool is_template = false;  // nor what is made of this
  Signature signature;       // types as cpp_type() has them
  // The parameters, by position, that have no name or whose name is no word of the body and of no
  // macro.
  std::set<std::size_t> unread = {};

  bool operator==(const CppFunction&) const = default;
};

struct CppSource {
  // In namespaces, not in classes. What `#if 0` leaves out counts as none, and of `#if` and its
  // alternatives all count; what macros make is not among them.
  std::vector<CppFunction> functions;
  bool puts_names_together = false;       // by ##
  std::set<std::string> macro_arguments;  // words that are given to what may be macros

  // Whether macros may define it.
  bool may_make(const std::string& name) const {
    return puts_names_together || macro_arguments.contains(name);
  }
};
CppSource read_cpp_source(std::string_view source);

// The form in which two types are the same when their functions can be called the same way:
// "const Tensor&" of "kbench::Tensor const &", "double" of "const double".
std::string cpp_type(std::string_view text);
// "torch.Tensor", "const kbench::Tensor&" without what changes nothing where a value of Python is
// passed: namespaces, const, &, blanks.
std::string plain_type(std::string_view text);

}  // namespace kbench
