#include "tune/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/registry/conditions.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

const std::vector<std::string> contexts = {"", "sharded"};

OverlayPlaces places_of(const json::Value& row, const std::string& pointer,
                        const YamlPlace& place) {
  const auto of = [&](std::string_view key) {
    const json::Value* const value = row.find(key);
    return place.at(value == nullptr ? row : *value, fmt::format("{}/{}", pointer, key));
  };
  OverlayPlaces places{place.at(row, pointer), of("definition"), of("solution"),
                       of("configuration")};
  if (const json::Value* const axes = row.find("axes")) {
    for (const json::Member& axis : axes->members)
      places.axes[axis.key] = place.key(axis, fmt::format("{}/axes/{}", pointer, axis.key));
  }
  if (const json::Value* const where = row.find("where")) {
    for (std::size_t i = 0; i < where->items.size(); ++i)
      places.where.push_back(place.at(where->items[i], fmt::format("{}/where/{}", pointer, i)));
  }
  if (const json::Value* const provenance = row.find("provenance")) {
    const json::Value* const parts = provenance->find("parts");
    const json::Value* const digest = parts == nullptr ? nullptr : parts->find("solution_digest");
    if (digest != nullptr) places.solution_digest = digest->text;
  }
  return places;
}

// Reports a word that is none of these.
void check_word(const json::Value& row, const std::string& key,
                const std::vector<std::string>& words, const std::string& pointer,
                const YamlPlace& place) {
  const json::Value* const value = row.find(key);
  if (value == nullptr) return;
  const std::string word(value->text);
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  std::vector<std::string> quoted;
  for (const std::string& one : words) quoted.push_back(fmt::format("\"{}\"", one));
  const std::string hint = did_you_mean(word, words);
  place.out.error(place.at(*value, fmt::format("{}/{}", pointer, key)),
                  fmt::format("there is no {} \"{}\"", key, word),
                  hint.empty() ? "they are " + join(quoted, ", ") : hint);
}

// Words such as "4" would be read as 4 in records that other programs write; who writes rows by
// hand meant something else.
void check_lengths(const json::Value& row, const std::string& pointer, const YamlPlace& place) {
  const json::Value* const axes = row.find("axes");
  if (axes == nullptr) return;
  for (const json::Member& member : axes->members) {
    if (member.value.kind != json::Kind::integer)
      place.wrong(member.value, fmt::format("{}/axes/{}", pointer, member.key), "a length",
                  "as in {\"M\": 4}");
  }
}

// Checks a row beyond the demands on every record.
void check_row(const json::Value& row, const std::string& pointer, const YamlPlace& place) {
  check_lengths(row, pointer, place);
  if (const json::Value* const where = row.find("where"))
    read_conditions(*where, pointer + "/where", place);
  check_word(row, "direction", direction_names, pointer, place);
  check_word(row, "context", contexts, pointer, place);
  check_word(row, "objective", objective_names, pointer, place);
}

// Fields that a row lacks fit everything.
bool fits_word(const std::optional<std::string>& wanted, std::string_view word) {
  return !wanted || *wanted == word;
}

bool has_axes(const OverlayRow& row, const CallFacts& axes) {
  if (!row.axes) return true;
  return std::all_of(row.axes->begin(), row.axes->end(), [&](const auto& wanted) {
    const Number* const length = axes.find(wanted.first);
    return length != nullptr && *length == wanted.second;
  });
}

bool holds_all(const OverlayRow& row, const CallFacts& axes) {
  if (!row.where) return true;
  const NumberOf number = numbers_in(axes);
  return std::all_of(row.where->begin(), row.where->end(), [&](const std::string& text) {
    return check_condition(text, number).outcome == ConstraintResult::Outcome::holds;
  });
}

// Says which values are wrong by themselves: conditions are for the axes of a call to judge.
std::string wrong_values(const Configuration& configuration, const Tunables& tunables) {
  Tunables values_alone = tunables;
  values_alone.where.clear();
  return unfit(configuration, values_alone, {});
}

// Returns axes of a row that the Definition, and thus each call, lacks, at their first places.
OrderedMap<Where> unknown_axes(const OverlayRow& row, const OverlayPlaces& places,
                               const Definition& definition) {
  OrderedMap<Where> unknown;
  const auto add = [&](const std::string& name, const Where& where) {
    if (!unknown.contains(name) && !is_of_call(name, definition)) unknown[name] = where;
  };
  for (const auto& [name, where] : places.axes) add(name, where);
  for (std::size_t i = 0; i < places.where.size(); ++i) {
    for (const std::string& name : names_in_condition(row.where->at(i))) add(name, places.where[i]);
  }
  return unknown;
}

void warn_of_axes(const OverlayRow& row, const OverlayPlaces& places, const Definition& definition,
                  Diagnostics& out) {
  std::vector<std::string> known;
  for (const auto& [name, axis] : definition.axes) known.push_back(name);
  for (const auto& [name, where] : unknown_axes(row, places, definition)) {
    const std::string near = did_you_mean(name, known);
    out.warning(where, fmt::format("fits no call: {} has no axis \"{}\"", definition.name, name),
                near.empty() ? fmt::format("it has the axes {}", join(known, ", ")) : near);
  }
}

bool is_of_another_source(std::string_view tuned_with, std::string_view here) {
  return !tuned_with.empty() && !here.empty() && tuned_with != here;
}

template <class Member>
std::vector<std::string> words_of(std::span<const OverlayTarget> targets, Member member) {
  std::vector<std::string> words;
  for (const OverlayTarget& target : targets) words.push_back(target.*member);
  return words;
}

}  // namespace

std::optional<Overlay> read_overlay(const Source& source, Diagnostics& out) {
  json::Memory memory;
  const std::size_t before = out.errors();
  const json::Value value = json::parse(source, 0, source.text.size(), memory, out);
  if (out.errors() != before) return std::nullopt;
  ReadOptions options;
  options.strict = true;  // keys with a slip would leave a row that never fits
  auto file = read<OverlayFile>(source, value, options, out);
  if (!file) return std::nullopt;
  const YamlPlace place{source, out};
  Overlay overlay{source.path, std::move(file->configurations), {}};
  const json::Value& rows = *value.find("configurations");
  for (std::size_t i = 0; i < rows.items.size(); ++i) {
    const std::string pointer = fmt::format("/configurations/{}", i);
    check_row(rows.items[i], pointer, place);
    overlay.places.push_back(places_of(rows.items[i], pointer, place));
  }
  return out.errors() == before ? std::optional(std::move(overlay)) : std::nullopt;
}

const OverlayRow* find_row(const Overlay& overlay, const OverlayQuery& query) {
  const auto fits = [&](const OverlayRow& row) {
    return row.definition == query.definition && row.solution == query.solution &&
           fits_word(row.direction, query.direction) && fits_word(row.context, query.context) &&
           fits_word(row.objective, query.objective) && has_axes(row, query.axes) &&
           holds_all(row, query.axes);
  };
  for (std::size_t i = overlay.rows.size(); i-- > 0;) {
    const bool is_other =
        i < overlay.places.size() &&
        is_of_another_source(overlay.places[i].solution_digest, query.solution_digest);
    if (!is_other && fits(overlay.rows[i])) return &overlay.rows[i];
  }
  return nullptr;
}

std::string place_of(const Overlay& overlay, const OverlayRow& row) {
  const auto index = static_cast<std::size_t>(&row - overlay.rows.data());
  if (index >= overlay.places.size()) return overlay.file;
  return fmt::format("{}:{}", overlay.file, overlay.places[index].row.line);
}

void check_overlay(const Overlay& overlay, std::span<const OverlayTarget> targets,
                   Diagnostics& out) {
  for (std::size_t i = 0; i < overlay.rows.size(); ++i) {
    const OverlayRow& row = overlay.rows[i];
    const OverlayPlaces& places = overlay.places[i];
    std::vector<OverlayTarget> of_definition;
    for (const OverlayTarget& target : targets) {
      if (target.definition == row.definition) of_definition.push_back(target);
    }
    const auto target =
        std::find_if(of_definition.begin(), of_definition.end(),
                     [&](const OverlayTarget& one) { return one.solution == row.solution; });
    if (of_definition.empty()) {
      out.warning(places.definition, fmt::format("no definition \"{}\" here", row.definition),
                  did_you_mean(row.definition, words_of(targets, &OverlayTarget::definition)));
    } else if (target == of_definition.end()) {
      out.warning(places.solution,
                  fmt::format("no solution \"{}\" of {} here", row.solution, row.definition),
                  did_you_mean(row.solution, words_of(of_definition, &OverlayTarget::solution)));
    } else if (is_of_another_source(places.solution_digest, target->digest)) {
      out.warning(places.row,
                  fmt::format("was tuned with other sources, flags, parameters or entry of "
                              "{}, and is not taken",
                              row.solution),
                  "tune again; without its provenance a row counts whatever the source");
    } else if (target->tunables != nullptr) {
      if (target->axes_of != nullptr) warn_of_axes(row, places, *target->axes_of, out);
      std::string wrong = wrong_values(row.configuration, *target->tunables);
      if (!wrong.empty()) out.error(places.configuration, std::move(wrong));
    }
  }
}

namespace {

// Adds "M >= 33", "M <= 64" for "33..64" of M; "M == 2" for "2"; "M >= 65" for "65..".
void add_conditions(const std::string& axis, const std::string& bucket,
                    std::vector<std::string>& out) {
  const auto dots = bucket.find("..");
  if (dots == bucket.npos) return out.push_back(fmt::format("{} == {}", axis, bucket));
  out.push_back(fmt::format("{} >= {}", axis, bucket.substr(0, dots)));
  if (dots + 2 < bucket.size())
    out.push_back(fmt::format("{} <= {}", axis, bucket.substr(dots + 2)));
}

// Adds the conditions that tell a bucket's lengths apart and are over axes alone. Rows cannot list
// the values of parameters for other lengths: an overlay's values must fit.
void add_declared(const TunedEntry& entry, std::vector<std::string>& out) {
  const NumberOf number = numbers_in(entry.measured_at);
  for (const auto& [condition, value] : *entry.parts.declared) {
    using Outcome = ConstraintResult::Outcome;
    const Outcome outcome = check_condition(condition, number).outcome;
    if (outcome == Outcome::holds) out.push_back(condition);
    if (outcome == Outcome::violated) out.push_back(fmt::format("not ({})", condition));
  }
}

OverlayRow row_of(const TunedEntry& entry) {
  OverlayRow row;
  row.definition = entry.parts.definition;
  row.solution = entry.parts.solution;
  row.direction = entry.parts.direction;
  row.context = entry.parts.context;
  row.objective = entry.parts.objective;
  if (!entry.parts.axes.empty()) row.axes = entry.parts.axes;
  if (!entry.parts.buckets.empty()) row.where.emplace();
  for (const auto& [axis, bucket] : entry.parts.buckets) add_conditions(axis, bucket, *row.where);
  if (row.where && entry.parts.declared) add_declared(entry, *row.where);
  row.configuration = entry.configuration;
  row.provenance = RawJson{to_json(entry, Dump::full)};
  return row;
}

}  // namespace

OverlayFile overlay_of(std::span<const TunedEntry> entries) {
  OverlayFile overlay;
  overlay.schema = overlay_schema;
  for (const TunedEntry& entry : entries) overlay.configurations.push_back(row_of(entry));
  return overlay;
}

std::string overlay_text(const OverlayFile& overlay) {
  return to_json(overlay, Dump::full, 2) + "\n";
}

std::vector<TunedEntry> entries_of(const Overlay& overlay, Diagnostics& out) {
  std::vector<TunedEntry> entries;
  for (std::size_t i = 0; i < overlay.rows.size(); ++i) {
    const OverlayRow& row = overlay.rows[i];
    const Where& where = overlay.places[i].row;
    if (!row.provenance) {
      out.warning(where, "has no provenance, and so is nothing that was tuned",
                  "as it is it serves as an overlay: --overlay FILE");
      continue;
    }
    EntryFlaw flaw;
    auto entry = read_entry({overlay.file, row.provenance->text}, flaw);
    if (entry && !same_configuration(entry->configuration, row.configuration))
      flaw.message = fmt::format("what was tuned is {}, and the row has {}",
                                 configuration_text(entry->configuration),
                                 configuration_text(row.configuration));
    if (flaw.message.empty()) {
      entries.push_back(*std::move(entry));
    } else {
      // Entries have rows of their own in the file, which `where` names.
      out.error(where, "its provenance is no entry of a store: " + flaw.message);
    }
  }
  return entries;
}

}  // namespace kbench
