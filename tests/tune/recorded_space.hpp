// Spaces that were measured: tests/tune/recorded/*.txt, and cache files of Kernel Tuner.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tune/search.hpp"
#include "tune/space.hpp"

namespace kbench {

struct RecordedSpace {
  Space space;
  std::vector<std::optional<double>> times;  // one each; nothing: a failure
};

// Reads what Kernel Tuner keeps: {"tune_params": {name: [values]}, "cache": {key: {name: value,
// "time": …}}}. A failure has a word in place of the time.
inline RecordedSpace recorded_space(const nlohmann::ordered_json& file) {
  const auto value_of = [](const auto& json) -> ParameterValue {
    if (json.is_boolean()) return json.template get<bool>();
    if (json.is_number_integer()) return json.template get<std::int64_t>();
    if (json.is_number()) return json.template get<double>();
    return json.template get<std::string>();
  };
  std::vector<SpaceParameter> parameters;
  for (const auto& [name, values] : file.at("tune_params").items()) {
    parameters.push_back({name, {}});
    for (const auto& value : values) parameters.back().values.push_back(value_of(value));
  }
  std::vector<Configuration> configurations;
  for (const auto& [key, entry] : file.at("cache").items()) {
    Configuration& configuration = configurations.emplace_back();
    for (const SpaceParameter& parameter : parameters)
      configuration[parameter.name] = value_of(entry.at(parameter.name));
  }
  RecordedSpace out{space_of(parameters, configurations).value(), {}};
  out.times.resize(out.space.size());
  std::size_t next = 0;
  for (const auto& [key, entry] : file.at("cache").items()) {
    const auto time = entry.find("time");
    const std::uint32_t number = out.space.number(configurations[next++]).value();
    if (time != entry.end() && time->is_number()) out.times[number] = time->get<double>();
  }
  return out;
}

// Answers what was measured. It refers to `record`.
inline Objective replay(const RecordedSpace& record) {
  return [&record](std::span<const std::uint32_t> configurations, int) {
    std::vector<std::optional<double>> times;
    for (const std::uint32_t number : configurations) times.push_back(record.times[number]);
    return times;
  };
}

// Returns a file of tests/tune/recorded as Kernel Tuner's cache file.
inline nlohmann::ordered_json recorded_cache(const std::string& name) {
  using Json = nlohmann::ordered_json;
  std::ifstream file(std::string(KBENCH_SOURCE_DIR "/tests/tune/recorded/") + name + ".txt");
  std::string head;
  if (!std::getline(file, head)) throw std::runtime_error(name + " cannot be read");
  Json root = Json::parse(head);
  const Json& parameters = root["tune_params"];
  std::size_t combinations = 1;
  for (const auto& [parameter, values] : parameters.items()) combinations *= values.size();
  Json cache = Json::object();
  for (std::size_t i = 0; i < combinations; ++i) {
    std::string word;
    if (!(file >> word)) throw std::runtime_error(name + " ends early");
    if (word == "-") continue;
    Json entry = Json::object();
    std::string key;
    std::size_t left = combinations, digits = i;
    for (const auto& [parameter, values] : parameters.items()) {
      left /= values.size();
      entry[parameter] = values[digits / left];
      digits %= left;
      key += (key.empty() ? "" : ",") + entry[parameter].dump();
    }
    if (word == "C") {
      entry["time"] = "CompilationFailedConfig";
    } else if (word == "R") {
      entry["time"] = "RuntimeFailedConfig";
    } else {
      entry["time"] = std::stod(word);
    }
    cache.push_back({key, entry});
  }
  root["cache"] = std::move(cache);
  return root;
}

}  // namespace kbench
