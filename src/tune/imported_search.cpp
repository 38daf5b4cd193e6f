#include "tune/imported_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "schema/lax.hpp"

namespace kbench {
namespace {

std::optional<double> number_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Sets the listed value that a file writes as this one: 1.0 may stand for 1. A value that is not
// listed is set, too: the space has no such configuration.
void set(Configuration& to, const json::Member& member, const Tunables& tunables) {
  const auto value = parameter_value(member.value);
  const Parameter* const own = find_parameter(tunables, member.key);
  if (!value || own == nullptr) return;
  const auto listed =
      std::find_if(own->values.begin(), own->values.end(), [&](const ParameterValue& one) {
        return one == *value || (number_of(*value) && number_of(one) == number_of(*value));
      });
  to[own->name] = listed == own->values.end() ? *value : *listed;
}

// Returns nullopt where there is no finite number; times from 1e20 on are failures in old caches.
std::optional<double> time_of(const json::Value* value) {
  if (value == nullptr || value->is_string()) return std::nullopt;
  const auto time = lax_number(*value);
  return time && std::isfinite(*time) && *time < 1e20 ? time : std::nullopt;
}

// The time of T4's [{"name": "time", "value": …}], where the result is correct.
std::optional<double> time_of_result(const json::Value& result) {
  const json::Value* const measurements = result.find("measurements");
  const json::Value* const invalidity = result.find("invalidity");
  if (measurements == nullptr || invalidity == nullptr || invalidity->text != "correct") return {};
  for (const json::Value& one : measurements->items)
    if (const json::Value* const name = one.find("name"); name != nullptr && name->text == "time")
      return time_of(one.find("value"));
  return {};
}

// Closes the brackets of a cache, as Kernel Tuner does at its end; until then a comma is last.
Source closed(const Source& source) {
  const std::string_view text = trim(source.text);
  if (!text.ends_with(',')) return source;
  return {source.path, std::string(text.substr(0, text.size() - 1)) + "}}"};
}

// Configurations of the space, by number, each with its time.
using Timed = std::vector<std::pair<double, std::uint32_t>>;

// Adds {"name": value, …}, the parameters of one configuration.
void add(const json::Value& values, std::optional<double> time, const ImportedInto& into,
         Timed& timed, ImportedSearch& imported) {
  Configuration all = into.others;
  for (const json::Member& member : values.members) set(all, member, into.tunables);
  const auto number = into.space.number(all);
  if (!time)
    ++imported.failed;
  else if (!number)
    ++imported.missing;
  else
    timed.emplace_back(*time, *number);
}

// Returns the configurations of the space by their times, and counts the others.
Timed timed_in(const json::Value& root, const ImportedInto& into, ImportedSearch& imported) {
  Timed timed;
  if (const json::Value* const cache = root.find("cache"))
    for (const json::Member& one : cache->members)
      add(one.value, time_of(one.value.find("time")), into, timed, imported);
  if (const json::Value* const results = root.find("results"))
    for (const json::Value& one : results->items)
      if (const json::Value* const values = one.find("configuration"))
        add(*values, time_of_result(one), into, timed, imported);
  std::sort(timed.begin(), timed.end());
  return timed;
}

}  // namespace

std::optional<ImportedSearch> import_search(const Source& source, const ImportedInto& into,
                                            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const Source whole = closed(source);
  json::Memory memory;
  if (!json::check_is_text(whole, diagnostics)) return std::nullopt;
  const json::Value root = json::parse(whole, 0, whole.text.size(), memory, diagnostics);
  if (diagnostics.errors() > before) return std::nullopt;
  if (const json::Value* const declared = root.find("tune_params"))
    for (const json::Member& one : declared->members)
      if (find_parameter(into.tunables, one.key) == nullptr)
        diagnostics.error(locate(whole, one.key_begin),
                          fmt::format("\"{}\" is no parameter of the solution", one.key));
  if (diagnostics.errors() > before) return std::nullopt;
  ImportedSearch imported;
  const auto timed = timed_in(root, into, imported);
  if (timed.empty()) {
    diagnostics.error(locate(whole, root.begin),
                      "no configuration of it has a time and is in the solution's space",
                      "a cache file of Kernel Tuner has the key \"cache\", T4 results \"results\"");
    return std::nullopt;
  }
  for (const auto& [time, number] : timed) imported.first.push_back(number);
  return imported;
}

}  // namespace kbench
