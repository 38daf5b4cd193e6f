#include "kernels/registry/tunables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kbench {
namespace {

using json::Kind;

constexpr std::string_view kinds[] = {"define", "runtime"};  // words in the order of ParameterKind
constexpr std::string_view bucket_words[] = {"pow2"};

bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Tells whether a word can be a macro's name.
bool is_name(std::string_view word) {
  return !word.empty() && is_letter(word.front()) &&
         std::all_of(word.begin(), word.end(), is_name_character);
}

// Tells whether a word is safe in a command and in a macro: neither reads a part of it as more.
bool is_plain_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return is_name_character(c) || c == '.' || c == ':' || c == '-' || c == '+';
  });
}

// Returns nullopt for no value, or a word that a command or a macro would read as more.
std::optional<ParameterValue> plain_value(const json::Value& value) {
  if (value.kind == Kind::null) return "None";
  auto one = parameter_value(value);
  const auto* word = one ? std::get_if<std::string>(&*one) : nullptr;
  return word != nullptr && !is_plain_word(*word) ? std::nullopt : std::move(one);
}

constexpr std::size_t most_values = 4096, most_parameters = 256;
// Refuses lists that cost more to look through than their author did to write.
bool is_short(const json::Value& list, const std::string& pointer, std::size_t most,
              const YamlPlace& place) {
  const bool fits = list.items.size() + list.members.size() <= most;
  if (!fits)
    place.out.error(place.at(list, pointer), fmt::format("has more than {} entries", most));
  return fits;
}

class TunablesReader {
 public:
  explicit TunablesReader(const YamlPlace& place) : place_(place) {}

  void read(const json::Member& member, const std::string& pointer, Tunables& out) {
    if (member.key == "params") read_parameters(member.value, pointer, out);
    if (member.key == "where") out.where = read_conditions(member.value, pointer, place_);
    if (member.key == "bucket") read_buckets(member.value, pointer, out);
    if (member.key == "key") out.key = read_conditions(member.value, pointer, place_);
    if (member.key == "specialise") read_specialised(member.value, pointer, out);
    if (member.key == "version") read_version(member.value, pointer, out);
  }

  // Reads rows, once the parameters are known.
  void read_rows(const json::Value& value, const std::string& pointer, const Tunables& tunables,
                 std::vector<ConfigurationRow>& rows) {
    if (value.kind != Kind::array)
      return place_.wrong(value, pointer, "a list of configurations", "as in - cfg: {BLOCK: 128}");
    if (!is_short(value, pointer, most_values, place_)) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::string inside = fmt::format("{}/{}", pointer, i);
      if (auto row = read_row(value.items[i], inside, tunables)) rows.push_back(*std::move(row));
    }
  }

  // Conditions (`where`) may forbid a row: then the next one serves.
  void warn_of_unreached(const Tunables& tunables) const {
    const auto& rows = tunables.heuristic;
    for (std::size_t i = 1; i < rows.size() && tunables.where.empty(); ++i) {
      if (!rows[i - 1].condition)
        place_.out.warning(rows[i].where, "is never reached: the row before it has no condition");
    }
  }

  // Derives the parameters from the candidates, as macros, where no params declare them.
  void derive_parameters(const json::Value& candidates, const std::string& pointer, Tunables& out) {
    if (candidates.items.size() > most_values) return;  // reported where the rows are read
    for (std::size_t i = 0; i < candidates.items.size(); ++i) {
      const json::Value* const values = candidates.items[i].find("cfg");
      if (values == nullptr) continue;
      for (const json::Member& member : values->members)
        derive_parameter(member, fmt::format("{}/{}/cfg/{}", pointer, i, member.key), out);
    }
  }

 private:
  void derive_parameter(const json::Member& member, const std::string& pointer, Tunables& out) {
    const auto value = plain_value(member.value);
    if (!is_name(member.key) || !value) return;  // reported where the row is read
    const auto known = std::find_if(out.parameters.begin(), out.parameters.end(),
                                    [&](const Parameter& one) { return one.name == member.key; });
    if (known == out.parameters.end())
      out.parameters.push_back(
          {std::string(member.key), ParameterKind::define, {*value}, place_.key(member, pointer)});
    else if (!is_listed(*value, known->values))
      known->values.push_back(*value);
  }

  void read_parameters(const json::Value& value, const std::string& pointer, Tunables& out) {
    if (!value.is_object())
      return place_.wrong(value, pointer, "a map from names to values",
                          "as in params: {BLOCK: {values: [64, 128]}}");
    if (!is_short(value, pointer, most_parameters, place_)) return;
    check_repeated(value, pointer);
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (!is_name(member.key)) {
        place_.out.error(place_.key(member, inside),
                         fmt::format("\"{}\" is no name of a parameter", member.key),
                         "letters, digits and _, as of a macro");
      } else if (auto parameter = read_parameter(member, inside)) {
        out.parameters.push_back(*std::move(parameter));
      }
    }
  }

  // Repeated keys are warnings elsewhere, and the last one counts; with values readers would have
  // to guess which ones do.
  void check_repeated(const json::Value& map, const std::string& pointer) const {
    std::map<std::string_view, const json::Member*> seen;
    for (const json::Member& member : map.members) {
      const auto [other, is_new] = seen.try_emplace(member.key, &member);
      if (is_new) continue;
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      place_.out.overrule({Level::error, place_.key(member, inside),
                           fmt::format("{} stands here twice", member.key),
                           "the other one: " + short_place(place_.key(*other->second, inside))});
    }
  }

  std::optional<Parameter> read_parameter(const json::Member& member, const std::string& pointer) {
    Parameter parameter{std::string(member.key), {}, {}, place_.key(member, pointer)};
    if (member.value.kind == Kind::array) {  // values alone
      read_values(member.value, pointer, parameter);
    } else if (!member.value.is_object()) {
      place_.wrong(member.value, pointer, "a list of values, or a map with values",
                   "as in [64, 128], or {kind: runtime, values: [64, 128]}");
    } else {
      check_repeated(member.value, pointer);
      for (const json::Member& one : member.value.members)
        read_part(one, fmt::format("{}/{}", pointer, one.key), parameter);
      if (member.value.find("values") == nullptr)
        place_.out.error(parameter.where, fmt::format("{} has no values", parameter.name));
    }
    return parameter.values.empty() ? std::nullopt : std::optional(std::move(parameter));
  }

  void read_part(const json::Member& member, const std::string& pointer, Parameter& parameter) {
    if (member.key == "values") return read_values(member.value, pointer, parameter);
    if (member.key != "kind") {
      place_.out.error(place_.key(member, pointer), fmt::format("unknown key \"{}\"", member.key),
                       "a parameter has values, and its kind: define or runtime");
      return;
    }
    const auto found = std::find(std::begin(kinds), std::end(kinds), member.value.text);
    if (!member.value.is_string() || found == std::end(kinds))
      return place_.wrong(member.value, pointer, "define or runtime",
                          "a macro of the compiler, or a value that each call passes");
    parameter.kind = static_cast<ParameterKind>(found - std::begin(kinds));
    parameter.says_kind = true;
  }

  void read_values(const json::Value& value, const std::string& pointer, Parameter& parameter) {
    if (value.kind != Kind::array || value.items.empty())
      return place_.wrong(value, pointer, "a list of values", "at least one");
    if (!is_short(value, pointer, most_values, place_)) return;
    for (const json::Value& item : value.items) {
      auto one = plain_value(item);
      if (!one) {
        place_.wrong(item, pointer, "a number, true, false or a word");
      } else if (is_listed(*one, parameter.values)) {
        place_.out.error(place_.at(item, pointer),
                         fmt::format("{} stands there twice", parameter_text(*one)));
      } else {
        parameter.values.push_back(*std::move(one));
      }
    }
  }

  void read_buckets(const json::Value& value, const std::string& pointer, Tunables& out) {
    if (!value.is_object())
      return place_.wrong(value, pointer, "a map from axes to how they are grouped",
                          "as in bucket: {batch_size: pow2}");
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (!is_one_of(member.value.text, bucket_words)) {
        place_.wrong(member.value, inside, "pow2", "all lengths up to the next power of two");
      } else {
        out.buckets[member.key] = member.value.text;
        out.bucket_places[member.key] = place_.key(member, inside);
      }
    }
  }

  void read_specialised(const json::Value& value, const std::string& pointer, Tunables& out) {
    out.specialise = read_words(value, pointer, place_);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const json::Value& item = value.items[i];
      if (item.is_string())
        out.specialise_places[item.text] = place_.at(item, fmt::format("{}/{}", pointer, i));
    }
  }

  void read_version(const json::Value& value, const std::string& pointer, Tunables& out) {
    if (value.kind != Kind::string && value.kind != Kind::integer && value.kind != Kind::number)
      return place_.wrong(value, pointer, "a word or a number");
    out.version = value.text;
  }

  std::optional<ConfigurationRow> read_row(const json::Value& value, const std::string& pointer,
                                           const Tunables& tunables) {
    ConfigurationRow row;
    row.where = place_.at(value, pointer);
    const json::Value* const values = value.find("cfg");
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (member.key == "if") {
        row.condition = read_condition(member.value, inside, place_);
        if (!row.condition) return std::nullopt;
      } else if (member.key != "cfg") {
        place_.out.error(place_.key(member, inside), fmt::format("unknown key \"{}\"", member.key),
                         "a row has cfg, and if: for which calls");
      }
    }
    if (values == nullptr || !values->is_object()) {
      place_.wrong(values == nullptr ? value : *values, pointer, "a row with cfg: a map of values",
                   "as in {if: \"n >= 4096\", cfg: {BLOCK: 256}}");
      return std::nullopt;
    }
    return read_chosen(*values, pointer + "/cfg", tunables, row) ? std::optional(row)
                                                                 : std::nullopt;
  }

  bool read_chosen(const json::Value& values, const std::string& pointer, const Tunables& tunables,
                   ConfigurationRow& row) {
    const std::size_t before = place_.out.errors();
    for (const json::Member& member : values.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      const auto value = parameter_value(member.value);
      const std::string wrong =
          value ? unfit_value(member.key, *value, tunables) : "no value of a parameter";
      if (!wrong.empty()) {
        place_.out.error(place_.at(member.value, inside), wrong);
      } else {
        row.values[member.key] = *value;
      }
    }
    if (place_.out.errors() != before) return false;
    for (const Parameter& parameter : tunables.parameters) {
      if (!row.values.contains(parameter.name))
        place_.out.error(place_.at(values, pointer),
                         fmt::format("{} has no value here", parameter.name));
    }
    return place_.out.errors() == before;
  }

  const YamlPlace& place_;
};

// Reports keys that mean nothing without configurations.
void check_needs(const json::Value& sidecar, const std::string& pointer, const YamlPlace& place) {
  if (sidecar.find("params") != nullptr || sidecar.find("candidates") != nullptr) return;
  for (const json::Member& member : sidecar.members) {
    if (!is_one_of(member.key, {"where", "heuristic", "bucket", "specialise", "key"})) continue;
    place.out.error(place.key(member, fmt::format("{}/{}", pointer, member.key)),
                    fmt::format("{} is of configurations, and there are no params", member.key),
                    member.key == "where" ? "conditions of kernels stand under supports" : "");
  }
}

}  // namespace

Tunables read_tunables(const json::Value& sidecar, const std::string& pointer,
                       const YamlPlace& place) {
  Tunables out;
  TunablesReader reader(place);
  for (const json::Member& member : sidecar.members)
    reader.read(member, fmt::format("{}/{}", pointer, member.key), out);
  const json::Value* const candidates = sidecar.find("candidates");
  if (candidates != nullptr && sidecar.find("params") == nullptr)
    reader.derive_parameters(*candidates, pointer + "/candidates", out);
  if (candidates != nullptr)
    reader.read_rows(*candidates, pointer + "/candidates", out, out.candidates);
  if (const json::Value* const rows = sidecar.find("heuristic"))
    reader.read_rows(*rows, pointer + "/heuristic", out, out.heuristic);
  reader.warn_of_unreached(out);
  check_needs(sidecar, pointer, place);
  return out;
}

}  // namespace kbench
