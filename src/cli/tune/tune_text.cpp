#include "cli/tune/tune_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"
#include "schema/names.hpp"
#include "schema/trace.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> time_of(const TuneRow& row) {
  if (row.status != Status::passed) return std::nullopt;
  return row.median_ns ? row.median_ns : row.shortest_ns();
}

// Rows, the fastest first, failed ones last. Times of the contest are no times of the race.
std::vector<std::size_t> order_of(const TuneReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto first = time_of(report.rows[a]), second = time_of(report.rows[b]);
    if (!first || !second) return first.has_value() && !second.has_value();
    const bool is_finalist = report.rows[a].median_ns.has_value();
    if (is_finalist != report.rows[b].median_ns.has_value()) return is_finalist;
    return *first < *second;
  });
  return order;
}

// "winner", "heuristic", "winner, heuristic"
std::string note_of(const TuneReport& report, std::size_t row) {
  std::vector<std::string> notes;
  if (report.winner == row) notes.emplace_back("winner");
  if (report.heuristic == row) notes.emplace_back("heuristic");
  return join(notes, ", ");
}

std::string head_of(const TuneText& search) {
  return fmt::format("{} · {} · {} ({}){}{}", search.definition, search.solution,
                     search.workload.substr(0, 8), lengths_text(search.axes, " "),
                     search.direction == "fwd" ? "" : " · " + search.direction,
                     search.objective == "time" ? "" : " · " + search.objective);
}

std::vector<GridCell> cells_of(const TuneText& search, std::size_t number) {
  const TuneRow& row = search.report.rows[number];
  std::vector<GridCell> cells;
  for (const std::string& name : search.parameters) {
    const ParameterValue* const value = row.configuration.find(name);
    cells.push_back({value == nullptr ? "" : parameter_text(*value)});
  }
  const auto time = time_of(row);
  cells.push_back({std::string(name_of(row.status))});
  cells.push_back(time ? GridCell{*time, human_time(*time)} : GridCell{});
  cells.push_back({static_cast<std::int64_t>(row.samples_ns.size())});
  const bool is_compared = row.against && row.against->pairs > 0;
  const double ratio = is_compared ? std::exp(row.against->log_ratio) : 0;
  cells.push_back(is_compared ? GridCell{ratio, fmt::format("{:.3f}", ratio)} : GridCell{});
  cells.push_back({note_of(search.report, number)});
  cells.push_back({row.cause, short_text(row.cause)});
  return cells;
}

constexpr double width = 760, height = 260, left = 70, bottom = 30;

// Axes of a search's picture: numbers, and times on a logarithmic axis.
struct Axes {
  double least = 0, most = 1;
  std::size_t count = 1;

  double x(std::size_t number) const {
    return left +
           (width - left - 10) * (static_cast<double>(number) + 0.5) / static_cast<double>(count);
  }
  double y(double time) const {
    const double share = std::log(time / least) / std::max(std::log(most / least), 1e-9);
    return 10 + (height - bottom - 10) * (1 - share);
  }
};

Axes axes_of(const TuneReport& report) {
  Axes axes{0, 0, std::max<std::size_t>(report.rows.size(), 1)};
  for (const TuneRow& row : report.rows) {
    const auto time = time_of(row);
    if (!time) continue;
    axes.least = axes.least == 0 ? *time : std::min(axes.least, *time);
    axes.most = std::max(axes.most, *time);
  }
  axes.least *= 0.95;
  axes.most *= 1.05;
  return axes;
}

std::string point_of(const TuneText& search, std::size_t number, const Axes& axes) {
  const TuneRow& row = search.report.rows[number];
  const auto time = time_of(row);
  const std::string title = fmt::format(
      "<title>{}: {}</title>", xml_text(configuration_text(row.configuration)),
      time ? human_time(*time) : xml_text(fmt::format("{} {}", name_of(row.status), row.cause)));
  if (!time)
    return fmt::format("<text class=failed x={:.1f} y={:.1f}>×{}</text>", axes.x(number),
                       height - bottom + 12, title);
  const char* const kind = search.report.winner == number      ? "winner"
                           : search.report.heuristic == number ? "heuristic"
                                                               : "tried";
  return fmt::format("<circle class={} cx={:.1f} cy={:.1f} r={}>{}</circle>", kind, axes.x(number),
                     axes.y(*time), search.report.winner == number ? 6 : 4, title);
}

// Steps down as better ones are found.
std::string best_so_far(const TuneReport& report, const Axes& axes) {
  std::string points;
  double best = 0;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const auto time = time_of(report.rows[i]);
    if (time && (best == 0 || *time < best)) {
      if (best != 0) points += fmt::format("{:.1f},{:.1f} ", axes.x(i), axes.y(best));
      best = *time;
    }
    if (best != 0) points += fmt::format("{:.1f},{:.1f} ", axes.x(i), axes.y(best));
  }
  return fmt::format("<polyline class=best points='{}'/>", points);
}

std::string scale_of(const Axes& axes) {
  std::string out;
  for (int i = 0; i <= 4; ++i) {
    const double time = axes.least * std::pow(axes.most / axes.least, i / 4.0);
    out += fmt::format(
        "<line class=grid x1={} x2={} y1={:.1f} y2={:.1f} /><text x={} y={:.1f} "
        "text-anchor=end>{}</text>",
        left, width - 10, axes.y(time), axes.y(time), left - 6, axes.y(time) + 4, human_time(time));
  }
  return out;
}

constexpr std::string_view picture_style =
    "svg{width:100%;height:auto;font-size:11px}.grid{stroke:#ddd}.best{fill:none;stroke:#888}"
    ".tried{fill:#4a7ab5}.winner{fill:#1d8a3c}.heuristic{fill:#c77f12}"
    ".failed{fill:#b3261e;text-anchor:middle;font-size:14px}"
    "@media(prefers-color-scheme:dark){.grid{stroke:#333}svg text{fill:#ccc}"
    "svg .failed{fill:#ff8a80}}";

std::string picture_of(const TuneText& search) {
  const Axes axes = axes_of(search.report);
  if (axes.most <= 0) return "<p>No configuration could be timed.</p>";
  std::string out = fmt::format(
      "<svg viewBox='0 0 {} {}' role=img aria-label='times of configurations in the order in "
      "which they were tried'><style>{}</style>{}{}",
      width, height, picture_style, scale_of(axes), best_so_far(search.report, axes));
  for (std::size_t i = 0; i < search.report.rows.size(); ++i) out += point_of(search, i, axes);
  return out + "</svg>";
}

Grid grid_of(const TuneText& search) {
  Grid grid;
  grid.title = head_of(search);
  for (const std::string& name : search.parameters) grid.columns.push_back({name});
  grid.columns.insert(grid.columns.end(), {{"status"},
                                           {"time_ns", "time"},
                                           {"samples"},
                                           {"to_heuristic", "to heuristic", Shown::where_any},
                                           {"note", "", Shown::where_any},
                                           {"cause", "", Shown::where_any}});
  for (const std::size_t row : order_of(search.report)) grid.rows.push_back(cells_of(search, row));
  grid.picture = picture_of(search);
  return grid;
}

Json json_of(const Configuration& configuration) {
  Json out = Json::object();
  for (const auto& [name, value] : configuration)
    std::visit([&out, &name = name](const auto& held) { out[name] = held; }, value);
  return out;
}

Json json_of(const TuneRow& row) {
  Json out = {{"configuration", json_of(row.configuration)},
              {"status", name_of(row.status)},
              {"cause", row.cause.empty() ? Json(nullptr) : Json(row.cause)},
              {"samples_ns", row.samples_ns},
              {"median_ns", row.median_ns ? Json(*row.median_ns) : Json(nullptr)},
              {"p10_ns", row.p10_ns ? Json(*row.p10_ns) : Json(nullptr)},
              {"finalist", row.is_finalist}};
  if (row.against) {
    out["to_heuristic"] = {{"ratio", std::exp(row.against->log_ratio)},
                           {"answer", answer_name(row.against->answer)},
                           {"meetings", row.against->pairs}};
    if (const auto factors = exp_of(row.against->interval))
      out["to_heuristic"]["interval"] = {factors->low, factors->high};
  }
  return out;
}

Json number_of(const std::optional<std::size_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json json_of(const TuneText& search) {
  const TuneReport& report = search.report;
  Json axes = Json::object();
  for (const auto& [name, length] : search.axes) axes[name] = length;
  Json out = {{"definition", search.definition},
              {"solution", search.solution},
              {"workload", search.workload},
              {"axes", axes},
              {"direction", search.direction},
              {"objective", search.objective},
              {"key", search.key},
              {"space", report.space},
              {"heuristic_configuration",
               search.heuristic.empty() ? Json(nullptr) : Json(search.heuristic)}};
  if (search.known) {
    out["known"] = {{"configuration", json_of(search.known->configuration)},
                    {"date", search.known->date}};
    return out;
  }
  out["decision"] = decision_name(report.decision);
  out["winner"] = number_of(report.winner);
  out["heuristic"] = number_of(report.heuristic);
  out["kept"] = search.is_kept;
  out["builds"] = report.builds;
  out["gate_calls"] = report.gate_calls;
  out["race_calls"] = report.race_calls;
  out["search_seconds"] = report.search_seconds;
  out["contest_seconds"] = report.contest_seconds;
  out["rows"] = Json::array();
  for (const TuneRow& row : report.rows) out["rows"].push_back(json_of(row));
  return out;
}

std::string outcome_of(const TuneText& search) {
  const TuneReport& report = search.report;
  const auto passed = [](const TuneRow& row) { return row.status == Status::passed; };
  if (!report.winner)
    return std::any_of(report.rows.begin(), report.rows.end(), passed)
               ? "interrupted before it was known which configuration is fastest"
               : "no configuration can be used: the causes are above";
  const TuneRow& winner = report.rows[*report.winner];
  const std::string name = configuration_text(winner.configuration);
  if (report.decision == TuneDecision::tied)
    return fmt::format("the heuristic's {} stays: none is surely faster", name);
  if (report.decision == TuneDecision::only || !winner.against)
    return fmt::format("{}: there is nothing that it could be compared with", name);
  const Compared& against = *winner.against;
  const auto factors = exp_of(against.interval);
  const std::string interval =
      factors ? fmt::format(" ({:.3f} to {:.3f})", factors->low, factors->high) : "";
  return fmt::format("{} takes {:.3f}{} times as long as the heuristic's {}", name,
                     std::exp(against.log_ratio), interval, search.heuristic);
}

}  // namespace

std::string tune_summary(const TuneText& search, bool is_plan) {
  const TuneReport& report = search.report;
  const std::string head = head_of(search);
  if (search.known)
    return fmt::format("{}: {} was tuned on {} (key {}; --force tunes again)\n", head,
                       configuration_text(search.known->configuration), search.known->date,
                       search.key);
  if (is_plan)
    return fmt::format("{}: {} of {}, key {}, the heuristic says {}\n", head,
                       counted(report.space, "configuration"), join(search.parameters, ", "),
                       search.key, search.heuristic.empty() ? "nothing" : search.heuristic);
  return fmt::format("{}: {}\n  {} of {} configurations tried, {} and {} in {:.1f} s{}\n", head,
                     outcome_of(search), report.rows.size(), report.space,
                     counted(report.gate_calls, "call") + " to judge",
                     fmt::format("{} to time", report.race_calls),
                     report.search_seconds + report.contest_seconds,
                     search.is_kept ? fmt::format("; kept as {}", search.key) : "");
}

Document tune_document(std::span<const TuneText> searches) {
  Document document;
  for (const TuneText& search : searches)
    if (!search.report.rows.empty()) document.grids.push_back(grid_of(search));
  document.json = [searches] {
    Json all = Json::array();
    for (const TuneText& search : searches) all.push_back(json_of(search));
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  return document;
}

std::string tune_html(std::span<const TuneText> searches) {
  Document page = tune_document(searches);
  page.head =
      "Searches of configurations. A point for each, in the order in which they were tried: green "
      "the winner, orange the heuristic's, × what failed. The line is the best so far.";
  for (const TuneText& search : searches) page.notes += tune_summary(search, false);
  return write_html(page, {});
}

}  // namespace kbench
