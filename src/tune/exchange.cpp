#include "tune/exchange.hpp"

#include <fmt/format.h>

#include "registry/conditions.hpp"
#include "schema/to_json.hpp"
#include "tune/entry.hpp"

namespace kbench {
namespace {

// "33..64" of M: "M >= 33", "M <= 64"; "2": "M == 2"; "65..": "M >= 65".
void add_conditions(const std::string& axis, const std::string& bucket,
                    std::vector<std::string>& out) {
  const auto dots = bucket.find("..");
  if (dots == bucket.npos) return out.push_back(fmt::format("{} == {}", axis, bucket));
  out.push_back(fmt::format("{} >= {}", axis, bucket.substr(0, dots)));
  if (dots + 2 < bucket.size())
    out.push_back(fmt::format("{} <= {}", axis, bucket.substr(dots + 2)));
}

// Adds those of the conditions that tell a bucket's lengths apart that are over axes alone. Rows
// cannot say which values of parameters other lengths may have: an overlay's values must fit.
void add_declared(const TunedEntry& entry, std::vector<std::string>& out) {
  const IntegerOf integer = [&](std::string_view name) -> std::optional<std::int64_t> {
    const std::int64_t* const length = entry.measured_at.find(name);
    return length == nullptr ? std::nullopt : std::optional(*length);
  };
  for (const auto& [condition, value] : *entry.parts.declared) {
    using Outcome = ConstraintResult::Outcome;
    const Outcome outcome = check_condition(condition, integer).outcome;
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
    std::string why;
    auto entry = read_entry({overlay.file, row.provenance->text}, why);
    if (entry && !same_configuration(entry->configuration, row.configuration))
      why = fmt::format("what was tuned is {}, and the row has {}",
                        configuration_text(entry->configuration),
                        configuration_text(row.configuration));
    if (why.empty()) {
      entries.push_back(*std::move(entry));
    } else {
      // It stands there on a line of its own making.
      const auto colon = why.starts_with("line 1: ") ? std::string_view("line 1: ").size() : 0;
      out.error(where, "its provenance is no entry of a store: " + why.substr(colon));
    }
  }
  return entries;
}

}  // namespace kbench
