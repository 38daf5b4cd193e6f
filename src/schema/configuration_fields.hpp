// The tables of fields of ChosenConfiguration, ConfigurationRecord.
#pragma once

#include <tuple>

#include "schema/configuration.hpp"
#include "schema/field.hpp"

namespace kbench {

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
