#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tune/recorded_file.hpp"

namespace kbench {
namespace {

// T4 names no parameters apart from those of its configurations: their values are those that occur,
// numbers rising, else in the order in which they occur.
bool is_less(const ParameterValue& a, const ParameterValue& b) {
  const auto number = [](const ParameterValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
  };
  return number(a) < number(b);
}

bool is_number(const ParameterValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

// {"results": [{"configuration": {name: value}, "objectives": ["time"], "measurements": [{"name",
// "value"}], "invalidity": "correct" | "compile" | …}]}
class ResultsReader {
 public:
  explicit ResultsReader(const RecordedFile& file) : file_(file) {}

  std::optional<RecordedSearch> read() {
    const json::Value* const results = file_.member(file_.root, "results", json::Kind::array);
    if (results == nullptr) return std::nullopt;
    if (results->items.empty()) {
      file_.error(*results, "there are no results");
      return std::nullopt;
    }
    const std::size_t errors = file_.out.errors();
    objective_ = objective_of(results->items.front());
    if (objective_ == "time") scale_ = milliseconds();
    for (const json::Value& result : results->items) read_result(result);
    if (file_.out.errors() > errors) return std::nullopt;
    for (SpaceParameter& parameter : parameters_) {
      auto& values = parameter.values;
      if (std::all_of(values.begin(), values.end(), is_number))
        std::sort(values.begin(), values.end(), is_less);
    }
    auto record = record_of(std::move(parameters_), entries_);
    if (!record) {
      file_.error(*results, "the values of all parameters have more than 2^63 combinations");
      return std::nullopt;
    }
    file_.set_objective(*record, objective_, *results);
    return record;
  }

 private:
  std::string objective_of(const json::Value& result) const {
    if (file_.wanted.name) return *file_.wanted.name;
    const json::Value* const named = result.find("objectives");
    const bool is_named = named != nullptr && named->kind == json::Kind::array &&
                          !named->items.empty() && named->items.front().is_string();
    return is_named ? std::string(named->items.front().text) : "time";
  }

  // How many a unit of the file's times is; Kernel Tuner writes "miliseconds", too.
  double milliseconds() const {
    const json::Value* const metadata = file_.root.find("metadata");
    const json::Value* const unit = metadata != nullptr ? metadata->find("timeunit") : nullptr;
    if (unit == nullptr) return 1;
    static const std::map<std::string_view, double> units{{"nanoseconds", 1e-6},
                                                          {"microseconds", 1e-3},
                                                          {"miliseconds", 1},
                                                          {"milliseconds", 1},
                                                          {"seconds", 1e3}};
    const auto found = unit->is_string() ? units.find(unit->text) : units.end();
    if (found != units.end()) return found->second;
    file_.error(*unit, "this unit of times is not known",
                "nanoseconds, microseconds, milliseconds and seconds are");
    return 1;
  }

  void read_result(const json::Value& result) {
    if (!result.is_object()) return file_.error(result, "a result is an object");
    const json::Value* const given = file_.member(result, "configuration", json::Kind::object);
    if (given == nullptr) return;
    RecordedEntry entry;
    if (!read_configuration(*given, entry.configuration)) return;
    const json::Value* const invalidity = file_.member(result, "invalidity", json::Kind::string);
    if (invalidity == nullptr) return;
    if (invalidity->text == "correct") {
      if (!read_measured(result, entry)) return;
    } else {
      entry.failure = std::string(invalidity->text);
    }
    entries_.push_back(std::move(entry));
  }

  // The first result says which parameters there are.
  bool read_configuration(const json::Value& given, Configuration& configuration) {
    if (entries_.empty() && parameters_.empty()) {
      for (const json::Member& member : given.members)
        parameters_.push_back({std::string(member.key), {}});
    }
    for (SpaceParameter& parameter : parameters_) {
      const json::Value* const value = given.find(parameter.name);
      const auto read = value != nullptr ? parameter_value(*value) : std::nullopt;
      if (!read) {
        file_.error(value != nullptr ? *value : given,
                    fmt::format("the configuration has no value of {}", parameter.name));
        return false;
      }
      const auto listed = listed_value(parameter, *read);
      if (!listed) parameter.values.push_back(*read);
      configuration.items.emplace_back(parameter.name, listed.value_or(*read));
    }
    if (given.members.size() == parameters_.size()) return true;
    file_.error(given, "the configuration has other parameters than the first one");
    return false;
  }

  bool read_measured(const json::Value& result, RecordedEntry& entry) const {
    const json::Value* const all = file_.member(result, "measurements", json::Kind::array);
    if (all == nullptr) return false;
    for (const json::Value& one : all->items) {
      const json::Value* const name = one.find("name");
      if (name == nullptr || !name->is_string() || name->text != objective_) continue;
      if (RecordedFile::take_number(one.find("value"), entry)) {
        if (entry.value) *entry.value *= scale_;
        return true;
      }
      file_.error(one, fmt::format("the measurement \"{}\" has no number", objective_));
      return false;
    }
    file_.error(*all, fmt::format("\"{}\" is not among the measurements", objective_));
    return false;
  }

  const RecordedFile& file_;
  std::string objective_;
  double scale_ = 1;
  std::vector<SpaceParameter> parameters_;
  std::vector<RecordedEntry> entries_;
};

}  // namespace

std::optional<RecordedSearch> read_t4_results(const RecordedFile& file) {
  return ResultsReader(file).read();
}

}  // namespace kbench
