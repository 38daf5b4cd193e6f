// What conditions speak of beside numbers: dtypes, platforms and devices. Each word is a number of
// its own, so that conditions stay expressions over integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "syntax/python.hpp"

namespace kbench {

// "bfloat16", "cpp", "gpu"; nothing for other words.
std::optional<std::int64_t> word_value(std::string_view word);
// The word of that number, where `name` stands for one: "dtype", "x.dtype", "platform", "backend".
// Nothing for other names.
std::optional<std::string> word_of(std::string_view name, std::int64_t value);
// Whether a name stands for a word in every call.
bool is_of_words(std::string_view name);

// A word that is not compared by == or != with what has words of its kind.
struct WordMisuse {
  const python::Expression* part = nullptr;
  std::string message;
  std::string hint;
};
std::optional<WordMisuse> find_word_misuse(const python::Expression& expression);

}  // namespace kbench
