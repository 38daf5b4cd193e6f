// What the conditions of a sidecar see of a call, as integers by name: docs/tuning.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/registry/platform.hpp"
#include "problem/problem.hpp"
#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "syntax/python.hpp"

namespace kbench {

using CallFacts = OrderedMap<std::int64_t>;

// The dtypes of its tensors, as "x.dtype", and that of its first input that is one, as "dtype".
CallFacts dtype_facts(const Definition& definition);
// Scalar inputs of a whole value: what is drawn, or a fraction, has no value in a condition.
CallFacts scalar_facts(const Workload& workload);
// How an implementation is written and where it runs: "platform", and "backend" without what of it
// is needed; of what runs anywhere that is "cpu".
CallFacts implementation_facts(std::string_view platform, const Backend& backend);

// Whether a call of the Definition has it: an axis, a scalar input, or what stands for a word.
bool is_of_call(std::string_view name, const Definition& definition);

// Adds `more` to what is there; of two of one name the later one counts.
CallFacts with_facts(CallFacts facts, const CallFacts& more);

// All axes, dtypes and scalars of a problem, and `constants`: those of the implementation.
CallFacts call_facts(const Problem& problem, const CallFacts& constants);

// What conditions speak of beside numbers: dtypes, platforms and devices. Each word is a number of
// its own, so that conditions stay expressions over integers.

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
