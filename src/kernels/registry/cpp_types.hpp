// Types of C++, told by their words.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "syntax/cpp_tokens.hpp"

namespace kbench {

// What `using` and `typedef` call types.
using CppAliases = std::map<std::string, std::vector<CppToken>>;
CppAliases cpp_aliases(const std::vector<CppToken>& tokens);

// Without [[…]], __attribute__((…)), __declspec(…) and alignas(…).
std::vector<CppToken> without_attributes(std::span<const CppToken> tokens);

// "ET_INLINE": by their letters what only macros are called.
bool looks_like_macro(const CppToken& token);

// The form of cpp_type(). What stands before the type (static, inline, macros) is not of it.
std::string type_text(std::span<const CppToken> tokens, const CppAliases& aliases);

}  // namespace kbench
