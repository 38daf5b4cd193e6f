// Functions that sources of C++ define, read from their text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/signature.hpp"

namespace kbench {

struct CppFunction {
  std::string scope;      // "mylib::native", "" for the global namespace
  bool is_local = false;  // static, or in a namespace without a name: other files cannot call it
  Signature signature;
};

// In namespaces, not in classes. What `#if 0` leaves out counts as none, and so does what macros
// make.
std::vector<CppFunction> find_cpp_functions(std::string_view source, std::string_view name);

// "torch.Tensor", "const kbench::Tensor&", "kbench::kernels::ArrayRef<int64_t>" without what
// changes nothing: namespaces, const, &, blanks.
std::string plain_cpp_type(std::string_view text);

// Whether macros may define it: it is an argument of one, or names are put together.
bool may_be_made_by_macro(std::string_view source, std::string_view name);

}  // namespace kbench
