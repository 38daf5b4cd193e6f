// kbench list: what a trace set holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/terminal.hpp"
#include "schema/names.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string root;
  std::string what = "definitions";
  std::string format = "table";
};

// A table of texts and numbers: one row a record, printed as columns or as JSON objects.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

Table list_definitions(const TraceSet& set) {
  struct Counts {
    int workloads = 0, solutions = 0, traces = 0, passed = 0;
  };
  std::map<std::string_view, Counts> counts;
  for (const auto& stored : set.workloads) ++counts[stored.record.definition].workloads;
  for (const auto& stored : set.solutions) ++counts[stored.record.definition].solutions;
  for (const auto& stored : set.traces) {
    Counts& of = counts[stored.record.definition];
    ++of.traces;
    of.passed += stored.record.evaluation && stored.record.evaluation->status == Status::passed;
  }
  Table table{{"definition", "op_type", "workloads", "solutions", "traces", "passed"}, {}};
  for (const auto& [definition, path, line] : set.definitions) {
    const Counts& of = counts[definition.name];
    table.rows.push_back(
        {definition.name, definition.op_type, of.workloads, of.solutions, of.traces, of.passed});
  }
  return table;
}

Table list_solutions(const TraceSet& set) {
  Table table{{"solution", "definition", "author", "language"}, {}};
  for (const auto& [solution, path, line] : set.solutions) {
    table.rows.push_back(
        {solution.name, solution.definition, solution.author, name_of(solution.spec.language)});
  }
  return table;
}

std::string axes_text(const Workload& workload) {
  std::string text;
  for (const auto& [name, value] : workload.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Table list_workloads(const TraceSet& set) {
  Table table{{"workload", "definition", "axes"}, {}};
  for (const auto& [trace, path, line] : set.workloads) {
    table.rows.push_back({trace.workload.uuid, trace.definition, axes_text(trace.workload)});
  }
  return table;
}

Table list_traces(const TraceSet& set) {
  Table table{{"solution", "definition", "workload", "status", "latency_ms", "speedup"}, {}};
  for (const auto& [trace, path, line] : set.traces) {
    if (!trace.evaluation) continue;
    const auto& performance = trace.evaluation->performance;
    table.rows.push_back({trace.solution.value_or(""), trace.definition, trace.workload.uuid,
                          status_name(trace.evaluation->status),
                          performance ? Json(performance->latency_ms) : Json(),
                          performance ? Json(performance->speedup_factor) : Json()});
  }
  return table;
}

struct Listing {
  std::string_view name;
  Table (*list)(const TraceSet& set);
};

constexpr Listing listings[] = {{"definitions", &list_definitions},
                                {"solutions", &list_solutions},
                                {"workloads", &list_workloads},
                                {"traces", &list_traces}};

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_number_float()) return fmt::format("{:.4g}", cell.get<double>());
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

std::string as_columns(const Table& table) {
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const Json& cell : row) line.push_back(cell_text(cell));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string one;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool number = !table.rows.empty() && table.rows.front()[i].is_number();
      one += number ? fmt::format("{:>{}}  ", line[i], widths[i])
                    : fmt::format("{:<{}}  ", line[i], widths[i]);
    }
    text += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string as_json(const Table& table) {
  Json all = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
    all.push_back(std::move(object));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int list(const Options& options) {
  const auto root = find_root(options.root);
  if (!root) {
    fmt::print(stderr,
               "kbench list: error: no trace set\n  hint: run in one, say --root DIR, or set "
               "FIB_DATASET_PATH\n");
    return exit_input;
  }
  Diagnostics problems;
  // Never freed: a tenth of the time of a large set would go there, just before the process ends.
  static const TraceSet& set = *new TraceSet(load_trace_set(*root, LoadOptions{}, problems));
  const auto listing = std::find_if(std::begin(listings), std::end(listings),
                                    [&](const Listing& one) { return one.name == options.what; });
  const Table table = listing->list(set);
  print(options.format == "json" ? as_json(table) : as_columns(table));
  for (const Diagnostic& problem : problems.items()) {
    if (problem.level == Level::error)
      fmt::print(stderr, "{}", render(problem, terminal().colour_err));
  }
  return problems.errors() > 0 ? exit_input : exit_good;
}

}  // namespace

std::function<int()> declare_list(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("what", options->what, "definitions (default), solutions, workloads or traces")
      ->check(CLI::IsMember({"definitions", "solutions", "workloads", "traces"}))
      ->option_text("[WHAT]");
  app.add_option("--root", options->root, "The trace set; default: the current one")
      ->option_text("DIR");
  app.add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->option_text("FORMAT");
  return [options] { return list(*options); };
}

}  // namespace kbench
