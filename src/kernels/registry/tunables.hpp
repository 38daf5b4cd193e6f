// What a Solution declares of its configurations, in its sidecar or under spec.kbench:
// docs/tuning.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/words.hpp"
#include "kernels/registry/conditions.hpp"
#include "problem/problem.hpp"
#include "schema/configuration.hpp"
#include "schema/place.hpp"
#include "schema/solution.hpp"

namespace kbench {

enum class ParameterKind {
  define,   // a macro: each value is a build of its own
  runtime,  // passed in each call, after the inputs
};

// One that the sources leave open.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::define;
  std::vector<ParameterValue> values;  // at least one, all different, in the order declared
  Where where;
};

// A configuration for the calls of which its condition holds.
struct ConfigurationRow {
  std::optional<Condition> condition;  // over the call; nothing: always
  Configuration values;                // one for every parameter
  Where where;
};

struct Tunables {
  std::vector<Parameter> parameters;
  std::vector<Condition> where;  // over parameters and the call: which configurations there are
  std::vector<ConfigurationRow> heuristic;   // where nothing is tuned: the first that fits
  std::vector<ConfigurationRow> candidates;  // what a search tries; none: all that `where` allows
  // Axes whose configurations several lengths share: "pow2", that of the next power of two.
  OrderedMap<std::string> buckets;
  std::vector<std::string> specialise;  // scalar inputs whose value is part of the key
  std::vector<Condition> key;           // over the call: whether each holds is part of the key
  std::string version = "0";            // of the Solution, as its author counts
  OrderedMap<Where> bucket_places, specialise_places;  // of the names in these two
  std::vector<Condition> supports;  // over the call: which ones the Solution is for, tuned or not
  CallFacts implementation;         // platform and backend of the Solution

  bool empty() const { return parameters.empty(); }
};

// nullptr where none has that name.
const Parameter* find_parameter(const Tunables& tunables, std::string_view name);

// The keys of a sidecar that are read here.
constexpr std::array<std::string_view, 8> tunables_keys = {
    "params", "candidates", "where", "heuristic", "bucket", "specialise", "key", "version"};
inline bool is_of_tunables(std::string_view key) { return is_one_of(key, tunables_keys); }

// Reads the keys above of a sidecar's map, which stands at `pointer`. Mistakes are reported, each
// at its place; what they are of is left out.
Tunables read_tunables(const json::Value& sidecar, const std::string& pointer,
                       const YamlPlace& place);

// Macros whose values make no difference, for who writes or searches configurations.
void warn_of_idle_macros(const Tunables& tunables, const Solution& solution, Diagnostics& out);

// Whether a word stands in a source.
bool is_mentioned(const std::string& word, const Solution& solution);

// What only shows beside the Solution and its Definition: macros of a language that has none;
// parameters with the names that the Definition has too, as axes, inputs
// or outputs; names in conditions that are neither axis nor parameter; buckets of what is no axis,
// and what is specialised and no scalar input; and rows of the heuristic that `where` forbids,
// whatever the axes.
void check_tunables(const Tunables& tunables, const Solution& solution,
                    const Definition& definition, Diagnostics& out);

bool is_listed(const ParameterValue& value, const std::vector<ParameterValue>& values);
// "" for one of the values that are declared.
std::string unfit_value(std::string_view name, const ParameterValue& value,
                        const Tunables& tunables);
// What of its names and values keeps a configuration from being one of these, whatever the call: a
// name that is not declared or not given, a value that is not listed. "" where nothing does.
std::string unfit_values(const Configuration& configuration, const Tunables& tunables);
// Says what unfit_values() says, or the text of a condition that does not hold for this call.
std::string unfit(const Configuration& configuration, const Tunables& tunables,
                  const CallFacts& facts);

// The candidates that are for this call and that the conditions allow there.
std::vector<Configuration> candidates_for(const Tunables& tunables, const CallFacts& facts);
// The configuration of the first row of the heuristic that is for this call and that the conditions
// allow there, else the first candidate, else the first configuration, in the order of the values,
// that they allow. Nothing where they allow none, or none is found by most_checks_of_conditions.
inline constexpr std::uint64_t most_checks_of_conditions = std::uint64_t{1} << 18;  // a second
std::optional<Configuration> heuristic_configuration(const Tunables& tunables,
                                                     const CallFacts& facts);
// The rows before that one that are for this call, and why each is not taken: "BLOCK=4
// (kbench.yaml:7) does not fit: …".
std::vector<std::string> skipped_rows(const Tunables& tunables, const CallFacts& facts);

// The Solution with these values: what is built and called. Its hash, its build and its records are
// of this configuration.
Solution with_configuration(Solution solution, const Tunables& tunables,
                            const Configuration& values);

}  // namespace kbench
