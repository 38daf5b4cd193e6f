// One page with everything in it: the records as columns of JSON, and src/report/html/, which draws
// them. No part of a record is ever read as HTML or as a program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "measure/statistics.hpp"
#include "report/format.hpp"
#include "report/html_assets.hpp"
#include "report/results.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

// Escapes '<', which could end a script element, and all that would turn the text a reader sees.
std::string json_text(std::string_view text) {
  const std::string quoted = nlohmann::json(printable_lines(text))
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (const char c : quoted) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

template <class Items, class Text>
std::string json_list(const Items& items, Text text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + text(item);
  return "[" + out + "]";
}

// Six digits: more than any time or error has. JSON has no infinities: they are texts.
std::string json_number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return "\"Infinity\"";
  return fmt::format("{:.6g}", value);
}

// Numbers for names, in the order in which they come.
class Names {
 public:
  std::string number(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return std::to_string(found->second);
  }
  std::string json() const { return json_list(names_, json_text); }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

struct Row {
  const Trace& trace;
  const Subjects& subjects;
  const Evaluation& evaluation;
  const Details* details;  // null: it is not of kbench
  const Timing* timing;    // null: it was not timed
};

Row row_of(const Trace& trace, const Subjects& subjects) {
  const Evaluation& evaluation = *trace.evaluation;
  const Details* details = evaluation.kbench ? &*evaluation.kbench : nullptr;
  const bool is_timed = details != nullptr && details->timing && details->timing->median_ns > 0;
  return {trace, subjects, evaluation, details, is_timed ? &*details->timing : nullptr};
}

struct PageNames {
  Names subjects, solutions, statuses, hardware, versions, flags;
};

struct PageColumn {
  const char* name;
  std::string (*text)(const Row& row, PageNames& names);  // JSON
};

std::string end_of_interval(const Row& row, std::size_t end) {
  if (row.timing == nullptr) return "null";
  const auto interval = recorded_latency(*row.timing).interval;
  if (!interval) return "null";
  return json_number(end == 0 ? interval->low : interval->high);
}

std::string known_or_null(double value) { return value > 0 ? json_number(value) : "null"; }

// Returns the latency of a call in nanoseconds, also for records that have only FlashInfer-Bench's
// figures.
std::string median_of_row(const Row& row, PageNames& /*names*/) {
  if (row.timing != nullptr) return json_number(recorded_latency(*row.timing).value);
  const auto& performance = row.evaluation.performance;
  return known_or_null(performance ? performance->latency_ms * 1e6 : 0);
}

std::string reference_of_row(const Row& row, PageNames& /*names*/) {
  return known_or_null(reference_ns(row.evaluation));
}

std::string speedup_of_row(const Row& row, PageNames& /*names*/) {
  const auto speedup = recorded_speedup(row.evaluation);
  return speedup ? json_number(speedup->value) : "null";
}

// Ends of its confidence interval, as factors.
std::string speedup_interval_of_row(const Row& row, PageNames& /*names*/) {
  const auto speedup = recorded_speedup(row.evaluation);
  if (!speedup || !speedup->interval) return "null";
  return fmt::format("[{},{}]", json_number(speedup->interval->low),
                     json_number(speedup->interval->high));
}

std::string axes_of_row(const Row& row, PageNames& /*names*/) {
  return json_list(row.trace.workload.axes,
                   [](const auto& axis) { return std::to_string(axis.second); });
}

// Quantiles from the least to the largest sample, by twentieths.
std::string quantiles_of_row(const Row& row, PageNames& /*names*/) {
  if (row.timing == nullptr || row.timing->samples_ns.empty()) return "null";
  std::vector<double> sorted = row.timing->samples_ns;
  std::sort(sorted.begin(), sorted.end());
  std::string out;
  for (int i = 0; i <= 20; ++i) out += (i > 0 ? "," : "") + json_number(quantile(sorted, i / 20.0));
  return "[" + out + "]";
}

std::string error_map_of_row(const Row& row, PageNames& /*names*/) {
  if (row.details == nullptr || !row.details->error_map || row.details->error_map->rows.empty())
    return "null";
  const ErrorMap& map = *row.details->error_map;
  const auto number = [](std::int64_t length) { return std::to_string(length); };
  return fmt::format("{{\"output\":{},\"shape\":{},\"rows\":{}}}", json_text(map.output),
                     json_list(map.shape, number), json_list(map.rows, json_text));
}

// "kbench 0.1.0, torch 2.15.0+cpu"
std::string versions_of(const Evaluation& evaluation) {
  std::vector<std::string> words;
  for (const auto& [library, version] : evaluation.environment.libs)
    words.push_back(library + " " + version);
  return join(words, ", ");
}

std::string flags_of(const Details* details) {
  return details != nullptr && details->basis ? join(details->basis->flags, " ") : "";
}

std::string text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_text(text);
}

constexpr PageColumn page_columns[] = {
    {"subject", [](const Row& row,
                   PageNames& names) { return names.subjects.number(row.subjects.of(row.trace)); }},
    {"solution",
     [](const Row& row, PageNames& names) {
       return names.solutions.number(row.trace.solution.value_or(""));
     }},
    {"status", [](const Row& row,
                  PageNames& names) { return names.statuses.number(status_text(row.evaluation)); }},
    {"hardware",
     [](const Row& row, PageNames& names) {
       return names.hardware.number(row.evaluation.environment.hardware);
     }},
    {"versions",
     [](const Row& row, PageNames& names) {
       return names.versions.number(versions_of(row.evaluation));
     }},
    {"flags",
     [](const Row& row, PageNames& names) { return names.flags.number(flags_of(row.details)); }},
    {"threads",
     [](const Row& row, PageNames&) {
       const bool is_known = row.details != nullptr && row.details->settings;
       return is_known ? std::to_string(row.details->settings->threads) : "null";
     }},
    {"workload",
     [](const Row& row, PageNames&) { return json_text(workload_text(row.trace.workload)); }},
    {"uuid", [](const Row& row, PageNames&) { return json_text(row.trace.workload.uuid); }},
    {"axes", &axes_of_row},
    {"median_ns", &median_of_row},
    {"low_ns", [](const Row& row, PageNames&) { return end_of_interval(row, 0); }},
    {"high_ns", [](const Row& row, PageNames&) { return end_of_interval(row, 1); }},
    {"p10_ns",
     [](const Row& row, PageNames&) {
       return known_or_null(row.timing != nullptr ? row.timing->p10_ns : 0);
     }},
    {"reference_ns", &reference_of_row},
    {"speedup", &speedup_of_row},
    {"speedup_interval", &speedup_interval_of_row},
    {"margin",
     [](const Row& row, PageNames&) {
       const auto share = limit_share(row.evaluation);
       return share ? json_number(*share) : "null";
     }},
    {"max_error",
     [](const Row& row, PageNames&) {
       const auto& correctness = row.evaluation.correctness;
       return correctness ? json_number(correctness->max_absolute_error) : "null";
     }},
    {"bound_ns",
     [](const Row& row, PageNames&) {
       const bool is_known = row.timing != nullptr && row.timing->roofline;
       return known_or_null(is_known ? row.timing->roofline->bound_ns : 0);
     }},
    {"flops",
     [](const Row& row, PageNames&) {
       const bool is_known = row.details != nullptr && row.details->work;
       return known_or_null(is_known ? row.details->work->flops.value_or(0) : 0);
     }},
    {"bytes",
     [](const Row& row, PageNames&) {
       if (row.details == nullptr || !row.details->work) return std::string("null");
       const Work& work = *row.details->work;
       return known_or_null(static_cast<double>(work.bytes_touched.value_or(work.bytes)));
     }},
    {"samples",
     [](const Row& row, PageNames&) {
       return row.timing == nullptr ? "null" : std::to_string(row.timing->samples_ns.size());
     }},
    {"quantiles_ns", &quantiles_of_row},
    {"cause",
     [](const Row& row, PageNames&) {
       return row.details == nullptr ? "null" : text_or_null(row.details->cause.value_or(""));
     }},
    {"non_discriminating",
     [](const Row& row, PageNames&) { return text_or_null(passing_trivially(row.trace)); }},
    {"error_map", &error_map_of_row},
    {"contract",
     [](const Row& row, PageNames&) {
       const bool is_kernel = row.details != nullptr && row.details->kernel.has_value();
       return is_kernel ? text_or_null(row.details->kernel->contract.value_or("")) : "null";
     }},
    {"rule",
     [](const Row& row, PageNames&) {
       return row.details == nullptr ? "null" : text_or_null(row.details->rule);
     }},
    {"trust",
     [](const Row& row, PageNames&) {
       return row.details == nullptr ? "null" : text_or_null(row.details->trust);
     }},
    {"timestamp", [](const Row& row, PageNames&) { return json_text(row.evaluation.timestamp); }},
};

// Definition and names of the axes of each subject, as its first workload has them.
std::string subjects_json(std::span<const Trace> traces, const Subjects& subjects) {
  std::map<std::string, std::string> said;
  for (const Trace& trace : traces) {
    const auto [place, is_new] = said.try_emplace(subjects.of(trace));
    if (is_new)
      place->second = fmt::format(
          "{{\"definition\":{},\"axes\":{}}}", json_text(trace.definition),
          json_list(trace.workload.axes, [](const auto& axis) { return json_text(axis.first); }));
  }
  std::string out;
  for (const auto& [subject, text] : said)
    out += (out.empty() ? "" : ",") + json_text(subject) + ":" + text;
  return "{" + out + "}";
}

std::string columns_json(std::span<const Trace> traces, const Subjects& subjects,
                         PageNames& names) {
  std::string out;
  for (const PageColumn& column : page_columns) {
    out += fmt::format("{}\"{}\":[", out.empty() ? "" : ",\n", column.name);
    bool is_first = true;
    for (const Trace& trace : traces) {
      if (!trace.evaluation) continue;
      if (!is_first) out += ',';
      out += column.text(row_of(trace, subjects), names);
      is_first = false;
    }
    out += "]";
  }
  return "{" + out + "}";
}

std::string data_json(std::span<const Trace> traces, const MadeFrom& from) {
  PageNames names;
  const Subjects subjects(traces);
  const std::string rows = columns_json(traces, subjects, names);
  std::string newest;
  for (const Trace& trace : traces)
    if (trace.evaluation) newest = std::max(newest, trace.evaluation->timestamp);
  return fmt::format(
      "{{\"places\":{},\"chosen\":{},\"choice\":{},\"when\":{},\n\"names\":{{\"subject\":{},"
      "\"solution\":{},"
      "\"status\":{},\"hardware\":{},\"versions\":{},\"flags\":{}}},\n"
      "\"older\":{{\"all\":{},\"failed\":{}}},\n\"subjects\":{},\n\"columns\":{}}}",
      json_text(from.places), json_text(from.definitions), json_text(from.choice),
      json_text(newest), names.subjects.json(), names.solutions.json(), names.statuses.json(),
      names.hardware.json(), names.versions.json(), names.flags.json(), from.older,
      from.older_failed, subjects_json(traces, subjects), rows);
}

void replace(std::string& text, std::string_view mark, std::string_view with) {
  text.replace(text.find(mark), mark.size(), with);
}

}  // namespace

std::string write_chart_page(std::span<const Trace> traces, const ReportOptions& options) {
  std::string page(html_page());
  replace(page, "@STYLE@", html_style());
  replace(page, "@SCRIPT@", html_script());
  replace(page, "@DATA@", data_json(traces, options.from));  // the last: data may hold any mark
  return page;
}

}  // namespace kbench
