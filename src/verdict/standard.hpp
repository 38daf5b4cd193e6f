// What one output of one trial is judged by under the rule `kbench`.
#pragma once

#include <string_view>
#include <variant>

#include "verdict/choice.hpp"
#include "verdict/codes.hpp"
#include "verdict/error_tolerance.hpp"
#include "verdict/ties.hpp"

namespace kbench {

struct SameBits {};  // as the reference's native answer
struct Checked {
};  // by the Definition's own check(), which no rule can call: evaluate/output_check
struct Anything {};  // nobody knows what is right: what a candidate keeps for its own backward pass

// A new kind: its file, its row here and in standard_names, its judge() in kbench.cpp, and what an
// output gets it by in judge/output_standards.cpp.
using Standard = std::variant<SameBits, ErrorTolerance, Codes, Choice, Ties, Anything, Checked>;
inline constexpr std::string_view standard_names[] = {"bits", "numbers",  "codes", "choice",
                                                      "ties", "anything", "check"};

inline bool is_drawn(const Standard& standard) {
  const auto* choice = std::get_if<Choice>(&standard);
  return choice != nullptr && has_draws(*choice);
}

inline std::string_view name_of(const Standard& standard) {
  return standard_names[standard.index()];
}

}  // namespace kbench
