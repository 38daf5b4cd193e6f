// Facts of a call that the conditions of a sidecar see, as numbers by name: docs/tuning.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/registry/platform.hpp"
#include "problem/constraint.hpp"
#include "problem/problem.hpp"
#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "syntax/python.hpp"

namespace kbench {

using CallFacts = OrderedMap<Number>;

// Returns the dtypes of tensors and scalars, "x.dtype", and of the first tensor, "dtype".
CallFacts dtype_facts(const Definition& definition);
// Returns the scalar inputs that a workload gives; those drawn are left out.
CallFacts scalar_facts(const Workload& workload);
// Returns "platform", and "backend": the device without its refinement, "cpu" for an implementation
// that runs anywhere.
CallFacts implementation_facts(std::string_view platform, const Backend& backend);

// Tells whether calls of the Definition have it: an axis, a scalar input, or a name of a word.
bool is_of_call(std::string_view name, const Definition& definition);

// Adds `more` to the facts; of two of one name the later one counts.
template <class T>
CallFacts with_facts(CallFacts facts, const OrderedMap<T>& more) {
  for (const auto& [name, value] : more) facts[name] = value;
  return facts;
}

// Returns all axes, dtypes and scalars of a problem, and `constants`: those of the implementation.
CallFacts call_facts(const Problem& problem, const CallFacts& constants);

// Words that conditions compare: dtypes, platforms and devices. Each is a number of its own, so
// that conditions stay expressions over integers.

// Returns the number of "bfloat16", "cpp", "gpu"; nullopt for other words.
std::optional<std::int64_t> word_value(std::string_view word);
// Returns the word of that number, where `name` stands for one: "dtype", "x.dtype", "platform",
// "backend"; nullopt for other names.
std::optional<std::string> word_of(std::string_view name, std::int64_t value);
// Tells whether a name stands for a word in every call.
bool is_of_words(std::string_view name);

// Word that is not compared by == or != with a name or word of its kind.
struct WordMisuse {
  const python::Expression* part = nullptr;
  std::string message;
  std::string hint;
};
std::optional<WordMisuse> find_word_misuse(const python::Expression& expression);

}  // namespace kbench
