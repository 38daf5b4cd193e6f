#include "tune/imported_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "tune/kernel_tuner_cache.hpp"
#include "tune/recorded_file.hpp"

namespace kbench {
namespace {

// The first place where the name is a key: a cache file may still be open, and is no JSON then.
Where place_of(const Source& source, const std::string& name) {
  const std::string word = fmt::format("\"{}\"", name);
  const std::string_view text = source.text;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (trim(text.substr(at + word.size())).starts_with(':')) return locate(source, at);
  }
  return locate(source, 0);
}

std::vector<std::string> names_of(const Tunables& tunables) {
  std::vector<std::string> names;
  for (const Parameter& parameter : tunables.parameters) names.push_back(parameter.name);
  return names;
}

void check_values(const Source& source, const SpaceParameter& recorded, const Parameter& own,
                  Diagnostics& out) {
  std::vector<std::string> values;
  for (const ParameterValue& value : own.values) values.push_back(parameter_text(value));
  for (const ParameterValue& value : recorded.values) {
    if (!listed_value({own.name, own.values}, value))
      out.error(place_of(source, own.name),
                fmt::format("{} is {} there: it can be {}", own.name, parameter_text(value),
                            join(values, ", ")),
                "the file is of another kernel, or of other values of its parameters");
  }
}

// Whether each parameter of the record is one of the Solution, with its values.
bool check_parameters(const Source& source, const RecordedSearch& record, const Tunables& tunables,
                      Diagnostics& out) {
  const std::size_t before = out.errors();
  for (const SpaceParameter& recorded : record.space.parameters()) {
    const Parameter* const own = find_parameter(tunables, recorded.name);
    if (own != nullptr) {
      check_values(source, recorded, *own, out);
      continue;
    }
    const std::vector<std::string> known = names_of(tunables);
    const std::string near = did_you_mean(recorded.name, known);
    out.error(place_of(source, recorded.name),
              fmt::format("\"{}\" is no parameter of the solution", recorded.name),
              near.empty() ? "it declares " + join(known, ", ") : near);
  }
  return out.errors() == before;
}

// By what the record says of them; what failed there comes not at all.
std::vector<std::uint32_t> fastest_first(const RecordedSearch& record) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < record.space.size(); ++i) {
    if (record.values[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return record.is_higher_better ? *record.values[a] > *record.values[b]
                                   : *record.values[a] < *record.values[b];
  });
  return order;
}

}  // namespace

std::optional<ImportedSearch> import_search(const Source& source, const Tunables& tunables,
                                            Diagnostics& diagnostics) {
  const auto record = read_kernel_tuner(source, {}, diagnostics);
  if (!record || !check_parameters(source, *record, tunables, diagnostics)) return std::nullopt;
  ImportedSearch imported;
  for (const std::uint32_t number : fastest_first(*record)) {
    Configuration values = record->space.configuration(number);
    for (auto& [name, value] : values) {
      const Parameter& own = *find_parameter(tunables, name);
      value = *listed_value({own.name, own.values}, value);
    }
    imported.fastest_first.push_back(std::move(values));
  }
  imported.failed = record->space.size() - imported.fastest_first.size();
  return imported;
}

ImportedFirst first_of(const ImportedSearch& imported, const Configuration& others,
                       const Space& space) {
  ImportedFirst first;
  for (const Configuration& values : imported.fastest_first) {
    Configuration all = others;
    for (const auto& [name, value] : values) all[name] = value;
    if (const auto number = space.number(all))
      first.numbers.push_back(*number);
    else
      ++first.missing;
  }
  return first;
}

}  // namespace kbench
