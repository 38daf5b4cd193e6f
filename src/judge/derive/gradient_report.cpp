#include "judge/derive/gradient_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view row_status_names[] = {"ok", "WRONG", "note"};
constexpr std::string_view outcome_names[] = {"PASSED", "WRONG", "REFERENCE_NOT_DIFFERENTIABLE"};

template <class Enum>
std::string_view name_in(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

std::string coloured(const std::string& text, std::string_view code, bool is_coloured) {
  return is_coloured ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

std::string_view colour_of(RowStatus status) {
  constexpr std::string_view codes[] = {"32", "31;1", "33"};
  return name_in(codes, status);
}

// Names the inputs and the cotangent.
std::string where_text(const GradientRow& row) {
  std::string out = row.cotangent;
  if (!row.set.empty() && row.set != "random")
    out += fmt::format("{}inputs {}", out.empty() ? "" : ", ", row.set);
  return out;
}

std::string row_text(const GradientRow& row, std::size_t check, std::size_t subject,
                     bool is_coloured) {
  std::vector<std::string> parts;
  if (!row.detail.empty()) parts.push_back(row.detail);
  if (row.worst && row.status == RowStatus::ok)
    parts.push_back(fmt::format("worst at {}: error {:.2g}, bound {:.2g}", row.worst->place,
                                row.worst->error, row.worst->bound));
  if (std::isfinite(row.visible_factor) && row.status == RowStatus::ok)
    parts.push_back(fmt::format("a factor off by {:.2g} % is seen", 100 * row.visible_factor));
  if (const std::string where = where_text(row); !where.empty() && row.status != RowStatus::ok)
    parts.push_back("(" + where + ")");
  const std::string status = fmt::format("{:<7}", name_in(row_status_names, row.status));
  const std::string line =
      fmt::format("  {} {:<{}}  {:<{}}  {}", coloured(status, colour_of(row.status), is_coloured),
                  row.check, check, row.subject, subject, join(parts, "; "));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string time_text(std::string_view what, const std::optional<Timing>& timing) {
  if (!timing) return "";
  return fmt::format("  {:<8} {:>10}  p10 {:>10}, {} samples of {} calls\n", what,
                     human_time(timing->median_ns), human_time(timing->p10_ns),
                     timing->samples_ns.size(), timing->calls_per_sample);
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json row_json(const GradientRow& row) {
  Json out = {{"check", row.check},
              {"subject", row.subject},
              {"status", lower(std::string(name_in(row_status_names, row.status)))},
              {"detail", row.detail}};
  if (!row.set.empty()) out["inputs"] = row.set;
  if (!row.cotangent.empty()) out["cotangent"] = row.cotangent;
  if (row.worst) {
    out["worst"] = {{"index", row.worst->place},
                    {"value", number(row.worst->value)},
                    {"expected", number(row.worst->expected)},
                    {"error", number(row.worst->error)},
                    {"bound", number(row.worst->bound)}};
  }
  if (std::isfinite(row.visible_factor)) out["visible_factor"] = row.visible_factor;
  return out;
}

Json timing_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  return {{"median_ns", timing->median_ns},
          {"p10_ns", timing->p10_ns},
          {"interval_ns", timing->interval_ns ? Json(*timing->interval_ns) : Json()},
          {"calls_per_sample", timing->calls_per_sample},
          {"samples_ns", timing->samples_ns}};
}

}  // namespace

std::string gradient_text(const GradientReport& report, bool is_coloured) {
  const bool is_good = report.outcome == GradientOutcome::passed;
  std::string out = fmt::format("{} {} {}: {}\n", report.definition, report.workload.substr(0, 8),
                                report.solution,
                                coloured(std::string(name_in(outcome_names, report.outcome)),
                                         is_good ? "32" : "31;1", is_coloured));
  std::size_t check = 0, subject = 0;
  for (const GradientRow& row : report.rows) {
    check = std::max(check, row.check.size());
    subject = std::max(subject, row.subject.size());
  }
  for (const GradientRow& row : report.rows) out += row_text(row, check, subject, is_coloured);
  out += time_text("forward", report.times.forward) + time_text("backward", report.times.backward) +
         time_text("both", report.times.both);
  return out + "  again: " + report.reproduce + "\n";
}

std::string gradient_json(std::span<const GradientReport> reports) {
  Json out = Json::array();
  for (const GradientReport& report : reports) {
    Json rows = Json::array();
    for (const GradientRow& row : report.rows) rows.push_back(row_json(row));
    out.push_back({{"definition", report.definition},
                   {"workload", report.workload},
                   {"solution", report.solution},
                   {"seed", report.seed},
                   {"direction", report.direction},
                   {"outcome", name_in(outcome_names, report.outcome)},
                   {"rows", std::move(rows)},
                   {"times",
                    {{"forward", timing_json(report.times.forward)},
                     {"backward", timing_json(report.times.backward)},
                     {"both", timing_json(report.times.both)}}},
                   {"reproduce", report.reproduce}});
    if (report.configuration)
      out.back()["configuration"] = Json::parse(to_json(*report.configuration, Dump::full));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kbench
