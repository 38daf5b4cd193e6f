// Configuration: a value for each parameter that a Solution declares, such as a block size. The
// values are chosen when the Solution is built or called; docs/tuning.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "base/json.hpp"
#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

using ParameterValue = std::variant<std::int64_t, double, bool, std::string>;

// Values by names, in the order in which the Solution declares them.
using Configuration = OrderedMap<ParameterValue>;

// Values with which a configured Solution is built and called.
struct ChosenConfiguration {
  Configuration define;   // macros of the compiler
  Configuration runtime;  // arguments of each call, after the inputs
  FieldSet present{};
};

// Record of a configuration in a trace.
struct ConfigurationRecord {
  Configuration values;
  std::string source;                   // "override", "overlay", "memory", "store", "autotune",
                                        // "heuristic", or "tune" of a candidate of a search
  std::optional<std::string> key;       // key in the store: 16 hexadecimal digits
  std::optional<std::string> borrowed;  // lengths that it was tuned for, if others: "M=64"
  std::optional<std::string> label;     // label for profiles: docs/tuning.md
  FieldSet present{};
};

// A type of kbench's own: no other program has keys for it.
constexpr bool is_own(const ChosenConfiguration*) { return true; }

// Writes a value as -D and --cfg do: 128, 0.5, true, row_major. A number is the shortest text that
// reads back as it; a whole number that is a double is "4.0".
std::string parameter_text(const ParameterValue& value);

// Reads what parameter_text() writes; a text that is no number and no truth is a word.
ParameterValue parameter_value(std::string_view text);
// Returns nothing for null, a list or a map, or a number that 64 bits do not hold.
std::optional<ParameterValue> parameter_value(const json::Value& value);

// Returns "BLOCK=128,VEC=4"; "" for none.
std::string configuration_text(const Configuration& configuration);

// Reads what configuration_text() writes; else returns what is wrong with the text, as a message.
// Blanks around names and values do not count.
std::variant<Configuration, std::string> parse_configuration(std::string_view text);

// Tells whether they have the same values, in whatever order.
bool same_configuration(const Configuration& a, const Configuration& b);

// Tables of fields of ChosenConfiguration, ConfigurationRecord.
constexpr auto fields(const ChosenConfiguration*) {
  return std::tuple{Field{"define", &ChosenConfiguration::define, Need::optional, Rule::any,
                          "Macros that the sources are compiled with."},
                    Field{"runtime", &ChosenConfiguration::runtime, Need::optional, Rule::any,
                          "Values that each call passes after the inputs."}};
}

constexpr auto fields(const ConfigurationRecord*) {
  return std::tuple{
      Field{"values", &ConfigurationRecord::values, Need::required, Rule::any,
            "Of the parameters that the Solution declares."},
      Field{"source", &ConfigurationRecord::source, Need::required, Rule::any,
            "Who chose them: \"override\", \"overlay\", \"memory\", \"store\", \"autotune\", "
            "\"heuristic\", or \"tune\" for a candidate of a search."},
      Field{"key", &ConfigurationRecord::key, Need::optional, Rule::any,
            "Begin of the digest of all that the choice rests on, as `kbench tuned` names it."},
      Field{"borrowed", &ConfigurationRecord::borrowed, Need::optional, Rule::any,
            "Axis values for which it was tuned, where those are others of the same bucket: "
            "\"M=64\"."},
      Field{"label", &ConfigurationRecord::label, Need::optional, Rule::any,
            "How profiles name its calls."}};
}

}  // namespace kbench
