#include "judge/google_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "judge/judgement.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double longest_ns = 1e15;
constexpr std::size_t longest_word = 128;
constexpr std::size_t most_items = 64;  // items of the context's lists

// Tells whether a value can be a machine's name, which whoever runs it has chosen.
bool is_name(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().size() <= longest_word;
}

// Names of benchmarks, dates, units.
bool is_word(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() <= longest_word && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  std::string_view("_-+.:/").find(c) != std::string_view::npos;
         });
}

bool is_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

bool is_truth(const Json& value) { return value.is_boolean(); }

bool are_numbers(const Json& value) {
  return value.is_array() && value.size() <= most_items &&
         std::all_of(value.begin(), value.end(), is_number);
}

struct Key {
  std::string_view name;
  bool (*is_good)(const Json& value);
};

// Tells whether a value is an object with no other keys than these, and each has a good value.
bool has_only(const Json& value, const auto& keys) {
  if (!value.is_object()) return false;
  return std::all_of(value.items().begin(), value.items().end(), [&](const auto& member) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const Key& key) { return key.name == member.key(); });
    return key != keys.end() && key->is_good(member.value());
  });
}

bool are_caches(const Json& value) {
  constexpr std::array keys = {Key{"type", is_word}, Key{"level", is_number},
                               Key{"size", is_number}, Key{"num_sharing", is_number}};
  return value.is_array() && value.size() <= most_items &&
         std::all_of(value.begin(), value.end(),
                     [&](const Json& cache) { return has_only(cache, keys); });
}

bool is_context(const Json& value) {
  constexpr std::array keys = {Key{"date", is_word},
                               Key{"host_name", is_name},
                               Key{"executable", is_word},
                               Key{"num_cpus", is_number},
                               Key{"mhz_per_cpu", is_number},
                               Key{"cpu_scaling_enabled", is_truth},
                               Key{"aslr_enabled", is_truth},  // new in version 1.9.2
                               Key{"caches", are_caches},
                               Key{"load_avg", are_numbers},
                               Key{"library_version", is_word},
                               Key{"library_build_type", is_word},
                               Key{"json_schema_version", is_number}};
  return has_only(value, keys);
}

bool is_entry(const Json& value) {
  constexpr std::array keys = {Key{"name", is_word},
                               Key{"family_index", is_number},
                               Key{"per_family_instance_index", is_number},
                               Key{"run_name", is_word},
                               Key{"run_type", is_word},
                               Key{"repetitions", is_number},
                               Key{"repetition_index", is_number},
                               Key{"threads", is_number},
                               Key{"aggregate_name", is_word},
                               Key{"aggregate_unit", is_word},
                               Key{"iterations", is_number},
                               Key{"real_time", is_number},
                               Key{"cpu_time", is_number},
                               Key{"time_unit", is_word}};
  return has_only(value, keys);
}

bool says(const Json& entry, const char* key, std::string_view word) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() && found->get_ref<const std::string&>() == word;
}

// A number above 0 and not above `most`; 0 where there is none.
double number_in(const Json& entry, const char* key, double most) {
  const auto found = entry.find(key);
  const double number = found != entry.end() && found->is_number() ? found->get<double>() : 0;
  return number > 0 && number <= most ? number : 0;
}

bool add_run(const Json& entry, GoogleReport& report) {
  constexpr double most_calls = 1e15;
  const double ns = number_in(entry, "real_time", longest_ns);
  const double calls = number_in(entry, "iterations", most_calls);
  if (ns == 0 || calls < 1 || !says(entry, "time_unit", "ns")) return false;
  report.samples_ns.push_back(ns);
  report.calls = static_cast<std::int64_t>(calls);
  return true;
}

// The budget is that of all repetitions; Google Benchmark calls once at least.
Repetitions repetitions_for(const EvaluateOptions& options) {
  constexpr std::int64_t usual = 10;  // its compare.py asks for 9
  Repetitions asked;
  asked.count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      options.config.iterations_given ? options.config.iterations : usual, 1, most_repetitions));
  asked.min_seconds = options.judge.budget_seconds / asked.count;
  return asked;
}

// Nothing is subtracted, and nothing keeps calls apart.
Timing describe_repetitions(GoogleReport report, double control_before, double control_after) {
  Sampled sampled;
  sampled.samples_ns = std::move(report.samples_ns);
  sampled.pace.calls = static_cast<std::uint64_t>(report.calls);
  sampled.stop = Stop::count;
  sampled.control_ns = {control_before, control_after};
  Timing timing = describe_timing(sampled, false);
  timing.null_ns.reset();
  timing.serial = false;
  timing.engine = engine_name(Engine::google_benchmark);
  timing.google_benchmark = std::move(report.json);
  return timing;
}

}  // namespace

std::optional<GoogleReport> read_google_report(const std::string& text, std::uint32_t repetitions) {
  constexpr std::size_t most_aggregates = 8;
  const Json json = Json::parse(text, nullptr, false);
  constexpr std::array keys = {Key{"context", is_context},
                               Key{"benchmarks", [](const Json& value) {
                                     return value.is_array() &&
                                            std::all_of(value.begin(), value.end(), is_entry);
                                   }}};
  if (json.is_discarded() || !has_only(json, keys) || json.size() != keys.size())
    return std::nullopt;
  GoogleReport report;
  const Json& entries = json["benchmarks"];
  for (const Json& entry : entries) {
    if (says(entry, "run_type", "aggregate")) continue;
    if (!says(entry, "run_type", "iteration") || !add_run(entry, report)) return std::nullopt;
  }
  if (report.samples_ns.size() != repetitions || entries.size() > repetitions + most_aggregates)
    return std::nullopt;
  report.json.text = json.dump();
  return report;
}

std::optional<Timing> Judgement::sample_by_google_benchmark() {
  if (!begin_timing()) return std::nullopt;
  const Repetitions asked = repetitions_for(options_);
  Epochs first;
  first.warmups = sampling_rule(options_).warmups;
  const auto before = measure_control(run());
  if (!before || (first.warmups > 0 && !run()(first))) return std::nullopt;
  std::string text;
  if (const auto failure = process_->run_google_benchmark(asked, text)) {
    fail(*failure);
    return std::nullopt;
  }
  auto report = read_google_report(text, asked.count);
  if (!report) {
    fail(Status::runtime_error,
         "PROTOCOL_ERROR: what Google Benchmark should have written makes no sense");
    return std::nullopt;
  }
  const auto after = measure_control(run());
  if (!after || !prove() || !end_timing()) return std::nullopt;
  return describe_repetitions(std::move(*report), *before, *after);
}

}  // namespace kbench
