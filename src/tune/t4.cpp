#include "tune/t4.hpp"

#include <nlohmann/json.hpp>

namespace kbench {
namespace {

using T4Json = nlohmann::ordered_json;

constexpr const char* schema_version = "1.0.0";

T4Json json_of(const ParameterValue& value) {
  return std::visit([](const auto& one) { return T4Json(one); }, value);
}

T4Json json_of(const Configuration& configuration) {
  T4Json object = T4Json::object();
  for (const auto& [name, value] : configuration) object[name] = json_of(value);
  return object;
}

T4Json json_of(const T4Result& result) {
  T4Json object = T4Json::object();
  if (!result.timestamp.empty()) object["timestamp"] = result.timestamp;
  object["configuration"] = json_of(result.configuration);
  object["times"] = {{"compilation", result.compilation}, {"benchmark", result.benchmark},
                     {"framework", result.framework},     {"search_algorithm", result.search},
                     {"validation", result.validation},   {"runtimes", result.runtimes}};
  object["invalidity"] = t4_name(result.invalidity);
  object["correctness"] = result.invalidity == T4Invalidity::correct ? 1 : 0;
  object["measurements"] = T4Json::array();
  if (result.time)
    object["measurements"].push_back({{"name", "time"}, {"value", *result.time}, {"unit", "ms"}});
  object["objectives"] = {"time"};
  return object;
}

// A line a result, so that files of two searches can be compared.
std::string lines(const T4Json& list) {
  std::string text;
  for (const T4Json& one : list) text += (text.empty() ? "\n    " : ",\n    ") + one.dump();
  return text;
}

}  // namespace

std::string_view t4_name(T4Invalidity invalidity) {
  switch (invalidity) {
    case T4Invalidity::correct:
      return "correct";
    case T4Invalidity::timeout:
      return "timeout";
    case T4Invalidity::compile:
      return "compile";
    case T4Invalidity::runtime:
      return "runtime";
    case T4Invalidity::correctness:
      return "correctness";
    default:
      return "constraints";
  }
}

std::string t4_results(std::span<const T4Result> results) {
  T4Json list = T4Json::array();
  for (const T4Result& result : results) list.push_back(json_of(result));
  return "{\n  \"results\": [" + lines(list) + "\n  ],\n  \"schema_version\": \"" + schema_version +
         "\",\n  \"metadata\": {\"timeunit\": \"milliseconds\"}\n}\n";
}

std::string t4_metadata(const T4Metadata& metadata) {
  T4Json root = T4Json::object();
  root["metadata"] = {
      {"hardware",
       {{"hardware_description", metadata.hardware},
        {"operating_system", metadata.operating_system}}},
      {"environment",
       {{"device_query", T4Json::object()}, {"requirements", metadata.requirements}}}};
  root["schema_version"] = schema_version;
  return root.dump(2) + "\n";
}

}  // namespace kbench
