#include "tune/imported_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "schema/lax.hpp"

namespace kbench {
namespace {

std::optional<double> number_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Returns the listed value that a file writes as this one: 1.0 may stand for 1.
std::optional<ParameterValue> listed_value(const Parameter& parameter,
                                           const ParameterValue& value) {
  for (const ParameterValue& listed : parameter.values) {
    if (listed == value || (number_of(value) && number_of(listed) == number_of(value)))
      return listed;
  }
  return std::nullopt;
}

// Returns nullopt where there is no finite number; times from 1e20 on are failures in old caches.
std::optional<double> time_of(const json::Value* value) {
  if (value == nullptr || value->is_string()) return std::nullopt;
  const auto time = lax_number(*value);
  return time && std::isfinite(*time) && *time < 1e20 ? time : std::nullopt;
}

// Closes the brackets of a cache, as Kernel Tuner does at its end; until then a comma is last.
Source closed(const Source& source) {
  const std::string_view text = trim(source.text);
  if (!text.ends_with(',')) return source;
  return {source.path, std::string(text.substr(0, text.size() - 1)) + "}}"};
}

class Reader {
 public:
  Reader(const Source& source, const Tunables& tunables, Diagnostics& out)
      : source_(source), tunables_(tunables), out_(out) {}

  void read(const json::Value& root) {
    const json::Value* const cache = root.find("cache");
    const json::Value* const results = root.find("results");
    const json::Value* const declared = root.find("tune_params");
    if (cache != nullptr && declared != nullptr) {
      read_cache(*cache, *declared);
    } else if (results != nullptr) {
      read_results(*results);
    } else {
      return error(root.begin, "this is neither a cache file of Kernel Tuner nor T4 results",
                   "they have the keys \"tune_params\" and \"cache\", or \"results\"");
    }
    const bool is_any_timed = std::any_of(entries_.begin(), entries_.end(),
                                          [](const auto& entry) { return entry.second; });
    if (!is_any_timed && reported_.empty()) error(root.begin, "no configuration has a \"time\"");
  }

  // Returns each configuration with its time; nullopt of one that failed.
  const std::vector<std::pair<Configuration, std::optional<double>>>& entries() const {
    return entries_;
  }

 private:
  void error(std::size_t at, std::string message, std::string hint = "") {
    out_.error(locate(source_, at), std::move(message), std::move(hint));
  }

  // Reads {"tune_params": {name: [values]}, "cache": {key: {name: value, "time": …}}}.
  void read_cache(const json::Value& cache, const json::Value& declared) {
    Configuration ignored;
    for (const json::Member& parameter : declared.members) {
      for (const json::Value& value : parameter.value.items) set(ignored, parameter, value);
    }
    for (const json::Member& entry : cache.members) {
      Configuration values;
      for (const json::Member& member : entry.value.members) {
        if (declared.find(member.key) != nullptr) set(values, member, member.value);
      }
      entries_.emplace_back(std::move(values), time_of(entry.value.find("time")));
    }
  }

  // Reads [{"configuration": {name: value}, "measurements": [{"name": "time", "value": …}],
  // "invalidity": "correct" | "compile" | …}].
  void read_results(const json::Value& results) {
    for (const json::Value& result : results.items) {
      Configuration values;
      std::optional<double> time;
      if (const json::Value* const given = result.find("configuration")) {
        for (const json::Member& member : given->members) set(values, member, member.value);
      }
      if (const json::Value* const measurements = result.find("measurements")) {
        for (const json::Value& one : measurements->items) {
          if (has_text(one, "name", "time")) time = time_of(one.find("value"));
        }
      }
      if (!has_text(result, "invalidity", "correct")) time.reset();
      entries_.emplace_back(std::move(values), time);
    }
  }

  static bool has_text(const json::Value& object, std::string_view key, std::string_view text) {
    const json::Value* const value = object.find(key);
    return value != nullptr && value->is_string() && value->text == text;
  }

  void set(Configuration& to, const json::Member& member, const json::Value& value) {
    const std::string name(member.key);
    const Parameter* const own = find_parameter(tunables_, name);
    if (own == nullptr) return report_name(name, member.key_begin);
    const auto read = parameter_value(value);
    const auto listed = read ? listed_value(*own, *read) : std::nullopt;
    if (listed) {
      to[name] = *listed;
      return;
    }
    const std::string text = read ? parameter_text(*read) : std::string(kind_name(value.kind));
    if (!reported_.insert(name + "=" + text).second) return;
    std::vector<std::string> known;
    for (const ParameterValue& one : own->values) known.push_back(parameter_text(one));
    error(value.begin, fmt::format("{} is {} there: it can be {}", name, text, join(known, ", ")),
          "the file is of another kernel, or of other values of its parameters");
  }

  void report_name(const std::string& name, std::size_t at) {
    if (!reported_.insert(name).second) return;
    std::vector<std::string> known;
    for (const Parameter& parameter : tunables_.parameters) known.push_back(parameter.name);
    const std::string near = did_you_mean(name, known);
    error(at, fmt::format("\"{}\" is no parameter of the solution", name),
          near.empty() ? "it declares " + join(known, ", ") : near);
  }

  const Source& source_;
  const Tunables& tunables_;
  Diagnostics& out_;
  std::vector<std::pair<Configuration, std::optional<double>>> entries_;
  std::set<std::string> reported_;
};

}  // namespace

std::optional<ImportedSearch> import_search(const Source& source, const Tunables& tunables,
                                            const Space& space, const Configuration& others,
                                            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const Source whole = closed(source);
  json::Memory memory;
  if (!json::check_is_text(whole, diagnostics)) return std::nullopt;
  const json::Value root = json::parse(whole, 0, whole.text.size(), memory, diagnostics);
  if (diagnostics.errors() > before) return std::nullopt;
  Reader reader(whole, tunables, diagnostics);
  reader.read(root);
  if (diagnostics.errors() > before) return std::nullopt;
  ImportedSearch imported;
  std::vector<std::pair<double, std::uint32_t>> timed;
  for (const auto& [values, time] : reader.entries()) {
    Configuration all = others;
    for (const auto& [name, value] : values) all[name] = value;
    const auto number = space.number(all);
    if (!time) {
      ++imported.failed;
    } else if (!number) {
      ++imported.missing;
    } else {
      timed.emplace_back(*time, *number);
    }
  }
  std::sort(timed.begin(), timed.end());
  for (const auto& [time, number] : timed) imported.first.push_back(number);
  return imported;
}

}  // namespace kbench
