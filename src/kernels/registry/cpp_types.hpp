// Types of C++, told by their words.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "syntax/cpp_tokens.hpp"

namespace kbench {

// Types by the names that `using` and `typedef` give them.
using CppAliases = std::map<std::string, std::vector<CppToken>>;
CppAliases cpp_aliases(const std::vector<CppToken>& tokens);

// Removes [[…]], __attribute__((…)), __declspec(…) and alignas(…).
std::vector<CppToken> without_attributes(std::span<const CppToken> tokens);

// Tells whether a word has the letters that only macros have: "ET_INLINE".
bool looks_like_macro(const CppToken& token);

// Returns the form of cpp_type(). Words before the type (static, inline, macros) are no part of it.
std::string type_text(std::span<const CppToken> tokens, const CppAliases& aliases);

}  // namespace kbench
