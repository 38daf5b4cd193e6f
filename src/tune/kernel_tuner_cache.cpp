#include "tune/kernel_tuner_cache.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/words.hpp"
#include "schema/lax.hpp"
#include "tune/recorded_file.hpp"

namespace kbench {
namespace {

// Where the text of a cache that was not closed has its last whole entry: its brackets are open in
// "cache", the second object from outside.
class OpenEnd {
 public:
  explicit OpenEnd(std::string_view text) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') is_quoted = !is_quoted;
      if (is_quoted) {
        i += text[i] == '\\' ? 1 : 0;
      } else {
        take(text[i], i);
      }
    }
  }

  bool is_open() const { return !open_.empty() && whole_ > 0; }
  std::size_t whole() const { return whole_; }  // bytes up to which entries are whole

 private:
  void take(char c, std::size_t at) {
    if (c == '{' || c == '[') open_ += c;
    if ((c == '}' || c == ']') && !open_.empty()) open_.pop_back();
    if (open_ != "{{") return;
    if (c == ',') whole_ = at;
    if (c == '{' || c == '}') whole_ = at + 1;
  }

  std::string open_;  // brackets
  std::size_t whole_ = 0;
};

// The text with its brackets closed, for reading it as JSON. What breaks off is warned of; where
// more than one line would be lost, the text is left to the JSON reader's complaints.
Source closed(const Source& source, Diagnostics& diagnostics) {
  const OpenEnd end(source.text);
  if (!end.is_open()) return source;
  const std::size_t at = source.text.find_first_not_of(",} \t\r\n", end.whole());
  if (at != source.text.npos) {
    if (trim(std::string_view(source.text).substr(at)).find('\n') != source.text.npos)
      return source;
    diagnostics.warning(locate(source, at), "the file breaks off in this entry, which is left out");
  }
  return {source.path, source.text.substr(0, end.whole()) + "}}"};
}

// A Kernel Tuner cache: {"tune_params": {name: [values]}, "cache": {key: {name: value, "time":
// …}}}.
class CacheReader {
 public:
  explicit CacheReader(const RecordedFile& file) : file_(file) {}

  std::optional<RecordedSearch> read() {
    const json::Value* const cache = file_.member(file_.root, "cache", json::Kind::object);
    const std::size_t errors = file_.out.errors();
    read_parameters();
    if (cache == nullptr || file_.out.errors() > errors) return std::nullopt;
    read_objective();
    for (const json::Member& member : cache->members) read_entry(member);
    if (file_.out.errors() > errors) return std::nullopt;
    auto record = record_of(std::move(parameters_), entries_);
    if (!record) {
      file_.error(file_.root, "the values of all parameters have more than 2^63 combinations");
      return std::nullopt;
    }
    record->kernel = file_.text("kernel_name");
    record->device = file_.text("device_name");
    file_.set_objective(*record, objective_, objective_at_ ? *objective_at_ : file_.root);
    return record;
  }

 private:
  void read_parameters() {
    const json::Value* const declared = file_.member(file_.root, "tune_params", json::Kind::object);
    if (declared == nullptr) return;
    for (const json::Member& member : declared->members) {
      if (member.value.kind != json::Kind::array || member.value.items.empty()) {
        file_.error(member.value, fmt::format("{} has no list of values", member.key));
        continue;
      }
      SpaceParameter& parameter = parameters_.emplace_back();
      parameter.name = std::string(member.key);
      for (const json::Value& item : member.value.items) add_value(parameter, item);
    }
  }

  void add_value(SpaceParameter& parameter, const json::Value& item) {
    const auto value = parameter_value(item);
    if (!value) {
      file_.error(item, fmt::format("a value of {} is neither a number nor a word nor a truth",
                                    parameter.name));
    } else if (listed_value(parameter, *value)) {
      file_.warning(
          item, fmt::format("{} has the value {} twice", parameter.name, parameter_text(*value)));
    } else {
      parameter.values.push_back(*value);
    }
  }

  // "time", or ["time"]; of several the first.
  void read_objective() {
    objective_at_ = file_.root.find("objective");
    const json::Value* named = objective_at_;
    if (named != nullptr && named->kind == json::Kind::array && !named->items.empty())
      named = &named->items.front();
    if (named != nullptr && named->is_string()) objective_ = std::string(named->text);
    if (file_.wanted.name) objective_ = *file_.wanted.name;
  }

  void read_entry(const json::Member& member) {
    if (member.value.kind == json::Kind::broken) return;
    if (!member.value.is_object())
      return file_.error(member.value, fmt::format("the entry \"{}\" is no object", member.key));
    RecordedEntry entry;
    for (const SpaceParameter& parameter : parameters_) {
      const auto value = read_value(member, parameter);
      if (!value) return;
      entry.configuration.items.emplace_back(parameter.name, *value);
    }
    entry.failure = failure_of(member.value);
    if (entry.failure.empty() && !read_result(member, entry)) return;
    entries_.push_back(std::move(entry));
  }

  std::optional<ParameterValue> read_value(const json::Member& entry,
                                           const SpaceParameter& parameter) {
    const json::Value* const given = entry.value.find(parameter.name);
    if (given == nullptr) {
      file_.error(entry.value,
                  fmt::format("the entry \"{}\" does not say its {}", entry.key, parameter.name));
      return std::nullopt;
    }
    const auto read = parameter_value(*given);
    const auto value = read ? listed_value(parameter, *read) : std::nullopt;
    if (!value)
      file_.error(*given, fmt::format("this is none of the values of {}", parameter.name));
    return value;
  }

  // Kernel Tuner writes its own words in place of the value, and under "__error__" too; before 2019
  // a time of 1e20.
  std::string failure_of(const json::Value& entry) const {
    for (const json::Member& member : entry.members) {
      if (member.value.is_string() &&
          is_one_of(member.value.text, {"ErrorConfig", "InvalidConfig", "CompilationFailedConfig",
                                        "RuntimeFailedConfig"}))
        return std::string(member.value.text);
    }
    const json::Value* const value = entry.find(objective_);
    const auto number = value != nullptr ? lax_number(*value) : std::nullopt;
    return number && *number >= 1e20 ? "ErrorConfig" : "";
  }

  bool read_result(const json::Member& member, RecordedEntry& entry) {
    const json::Value* const value = member.value.find(objective_);
    if (RecordedFile::take_number(value, entry)) return true;
    if (value != nullptr) {
      file_.error(*value, fmt::format("\"{}\" is neither a number nor an error that Kernel Tuner "
                                      "writes",
                                      objective_));
    } else {
      file_.error(member.value,
                  fmt::format("the entry \"{}\" has no \"{}\"", member.key, objective_));
    }
    return false;
  }

  const RecordedFile& file_;
  std::string objective_ = "time";
  const json::Value* objective_at_ = nullptr;
  std::vector<SpaceParameter> parameters_;
  std::vector<RecordedEntry> entries_;
};

}  // namespace

std::optional<RecordedSearch> read_cache_file(const RecordedFile& file) {
  return CacheReader(file).read();
}

std::optional<RecordedSearch> read_kernel_tuner(const Source& source,
                                                const RecordedObjective& objective,
                                                Diagnostics& diagnostics) {
  if (source.text.starts_with("\x1f\x8b")) {
    diagnostics.error({source.path}, "the file is compressed", "gunzip it first");
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.errors();
  if (!json::check_is_text(source, diagnostics)) return std::nullopt;
  const Source whole = closed(source, diagnostics);
  json::Memory memory;
  const json::Value root = json::parse(whole, 0, whole.text.size(), memory, diagnostics);
  if (diagnostics.errors() > errors) return std::nullopt;
  const RecordedFile file{source, root, objective, diagnostics};
  if (root.is_object() && root.find("results") != nullptr) return read_t4_results(file);
  if (root.is_object() && root.find("cache") != nullptr) return read_cache_file(file);
  file.error(root, "this is neither a cache file of Kernel Tuner nor T4 results",
             "they have the keys \"cache\" or \"results\"");
  return std::nullopt;
}

}  // namespace kbench
