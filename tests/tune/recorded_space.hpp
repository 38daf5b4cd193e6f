// tests/tune/recorded/*.txt as Kernel Tuner's cache files.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace kbench {

inline std::string recorded_cache_text(const std::string& name) {
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
  return root.dump();
}

}  // namespace kbench
