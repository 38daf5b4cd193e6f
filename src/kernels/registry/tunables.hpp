// Configurations that a Solution declares, in its sidecar or under spec.kbench: docs/tuning.md.
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
  define,   // macro: each value is a build of its own
  runtime,  // passed in each call, after the inputs
};

// Parameter that the sources leave open.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::define;
  std::vector<ParameterValue> values;  // values, at least one, all different, in the order declared
  Where where;
  bool says_kind = false;  // its author has stated the kind
};

// Configuration for the calls of which its condition holds.
struct ConfigurationRow {
  std::optional<Condition> condition;  // condition over the call; nullopt: always
  Configuration values;                // value for every parameter
  Where where;
};

struct Tunables {
  std::vector<Parameter> parameters;
  std::vector<Condition> where;  // conditions of a configuration, over parameters and call
  std::vector<ConfigurationRow> heuristic;   // rows for untuned calls: the first that fits
  std::vector<ConfigurationRow> candidates;  // rows that a search tries; none: all of `where`
  // Axes whose configurations several lengths share: "pow2", that of the next power of two.
  OrderedMap<std::string> buckets;
  std::vector<std::string> specialise;  // scalar inputs whose value is part of the key
  std::vector<Condition> key;           // conditions over the call; their truth is part of the key
  std::string version = "0";            // version of the Solution, as its author counts
  OrderedMap<Where> bucket_places, specialise_places;  // places of the names in these two
  std::vector<Condition> supports;                     // conditions over all calls of the Solution
  std::vector<std::string> batch_axes;                 // axes that the Solution does not know
  CallFacts implementation;                            // platform and backend of the Solution

  bool empty() const { return parameters.empty(); }
};

// Returns nullptr where none has that name.
const Parameter* find_parameter(const Tunables& tunables, std::string_view name);

// Keys of a sidecar that are read here.
constexpr std::array<std::string_view, 8> tunables_keys = {
    "params", "candidates", "where", "heuristic", "bucket", "specialise", "key", "version"};
inline bool is_of_tunables(std::string_view key) { return is_one_of(key, tunables_keys); }

// Reads the keys above of a sidecar's map, which stands at `pointer`. Mistakes are reported, each
// at its place; parts with one are left out.
Tunables read_tunables(const json::Value& sidecar, const std::string& pointer,
                       const YamlPlace& place);

// Warns of macros whose values make no difference, for who writes or searches configurations.
void warn_of_idle_macros(const Tunables& tunables, const Solution& solution, Diagnostics& out);

// Tells whether a text stands in a source.
bool is_mentioned(const std::string& word, const Solution& solution);

// Reports misfits to the Solution and its Definition: macros of a language that has none;
// parameters named as axes, inputs or outputs of the Definition; names in conditions that are
// neither axis, scalar input nor parameter; buckets of names that are no axis; specialised names
// that are no scalar input; and rows that `where` forbids, whatever the axes.
void check_tunables(const Tunables& tunables, const Solution& solution,
                    const Definition& definition, Diagnostics& out);

bool is_listed(const ParameterValue& value, const std::vector<ParameterValue>& values);
// Says why this is none of the declared values; "" where it is.
std::string unfit_value(std::string_view name, const ParameterValue& value,
                        const Tunables& tunables);
// Says which name or value keeps a configuration from being one of these, whatever the call: a name
// that is not declared or not given, a value that is not listed; "" where none does.
std::string unfit_values(const Configuration& configuration, const Tunables& tunables);
// Says what unfit_values() says, or the text of a condition that does not hold for this call.
std::string unfit(const Configuration& configuration, const Tunables& tunables,
                  const CallFacts& facts);

// Returns the candidates that are for this call and that the conditions allow there.
std::vector<Configuration> candidates_for(const Tunables& tunables, const CallFacts& facts);
// Returns the configuration of the first row of the heuristic that is for this call and that the
// conditions allow there, else the first such candidate; without candidates, the first allowed one
// in the order of the values; nullopt where none is found by most_checks_of_conditions.
inline constexpr std::uint64_t most_checks_of_conditions = std::uint64_t{1} << 18;  // ~1 s
inline constexpr std::size_t bytes_of_a_check = 32;  // of a longer condition each time that many
std::optional<Configuration> heuristic_configuration(const Tunables& tunables,
                                                     const CallFacts& facts);
// Returns the rows before that one that are for this call, and why each is not taken: "BLOCK=4
// (kbench.yaml:7) does not fit: …".
std::vector<std::string> skipped_rows(const Tunables& tunables, const CallFacts& facts);

// Returns the Solution with these values, as it is built and called. Its hash, its build and its
// records are of this configuration.
Solution with_configuration(Solution solution, const Tunables& tunables,
                            const Configuration& values);

}  // namespace kbench
