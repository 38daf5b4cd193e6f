// kbench stamp parse: from the labels in a profile to records and tuned configurations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/stamp.hpp"
#include "cli/tune/tuned.hpp"
#include "contract/kernel_set.hpp"
#include "report/grid.hpp"
#include "schema/record_label.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct StampParseOptions {
  std::string file;
  std::vector<std::string> paths;
  std::string root;
  std::string format = "table";
};

// Where a label leads.
struct Traced {
  FoundStamp found;
  std::vector<const Stored<Trace>*> records = {};
  std::vector<const StoredEntry*> entries = {};

  bool leads_nowhere() const { return records.empty() && entries.empty(); }
};

std::optional<std::string> read_profile(const std::string& file, Diagnostics& out) try {
  return read_file(file == "-" ? "/dev/stdin" : file);
} catch (const std::system_error& error) {
  out.error({file, 0, 0, "", ""}, fmt::format("cannot be read: {}", error.code().message()));
  return std::nullopt;
}

Stamp stamp_of(const TunedEntry& entry) {
  const TuningKey& parts = entry.parts;
  return {parts.definition, parts.solution, parts.version, entry.key};
}

std::vector<Traced> trace_back(const std::vector<FoundStamp>& stamps,
                               const std::vector<FoundRecord>& records, const StoreListing& store) {
  std::vector<Traced> out;
  std::map<Stamp, std::size_t> places;
  for (const FoundStamp& found : stamps) {
    places[found.stamp] = out.size();
    out.push_back({found});
  }
  for (const FoundRecord& record : records) {
    const auto stamp = record_stamp(record.stored->record);
    const auto place = stamp ? places.find(*stamp) : places.end();
    if (place != places.end()) out[place->second].records.push_back(record.stored);
  }
  for (const StoredEntry& stored : store.entries) {
    const auto place = places.find(stamp_of(stored.entry));
    if (place != places.end()) out[place->second].entries.push_back(&stored);
  }
  return out;
}

std::string place_of(const Stored<Trace>& stored) {
  return fmt::format("{}:{}", stored.path, stored.line);
}

// A row for each place that a label leads to.
Grid grid_of(const std::vector<Traced>& traced) {
  Grid grid;
  grid.columns = {{"definition"}, {"solution"}, {"version"}, {"key"},
                  {"count"},      {"workload"}, {"status"},  {"leads_to", "leads to"}};
  const auto add = [&](const Traced& one, const std::string& workload, const std::string& status,
                       std::string place) {
    const Stamp& stamp = one.found.stamp;
    const auto cell = [](const std::string& text) {
      return text.empty() ? GridCell{} : GridCell{text, printable(text)};
    };
    grid.rows.push_back({cell(stamp.definition),
                         cell(stamp.solution),
                         cell(stamp.version),
                         {stamp.key},
                         {static_cast<std::int64_t>(one.found.count)},
                         cell(workload),
                         cell(status),
                         cell(place)});
  };
  for (const Traced& one : traced) {
    for (const Stored<Trace>* stored : one.records)
      add(one, stored->record.workload.uuid.substr(0, 8),
          std::string(status_name(stored->record.evaluation->status)), place_of(*stored));
    for (const StoredEntry* stored : one.entries) add(one, "", "tuned", stored->file.string());
    if (one.leads_nowhere()) add(one, "", "", "no record");
  }
  return grid;
}

Json json_of(const Traced& one) {
  const Stamp& stamp = one.found.stamp;
  Json out = {{"label", stamp_label(stamp)},
              {"definition", stamp.definition},
              {"solution", stamp.solution},
              {"version", stamp.version},
              {"key", stamp.key},
              {"count", one.found.count},
              {"records", Json::array()},
              {"tuned", Json::array()}};
  for (const Stored<Trace>* stored : one.records)
    out["records"].push_back({{"file", stored->path},
                              {"line", stored->line},
                              {"workload", stored->record.workload.uuid},
                              {"status", status_name(stored->record.evaluation->status)}});
  for (const StoredEntry* stored : one.entries) out["tuned"].push_back(stored->file.string());
  return out;
}

void print_traced(const std::vector<Traced>& traced, const std::string& format) {
  if (format != "json") {
    const Grid grid = grid_of(traced);
    if (!traced.empty())
      print(write_grids({&grid, 1}, format, {terminal().colour_out, terminal().width}));
    return;
  }
  Json out = Json::array();
  for (const Traced& one : traced) out.push_back(json_of(one));
  print(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int parse(const StampParseOptions& options) {
  Diagnostics problems;
  const auto text = read_profile(options.file, problems);
  if (!text) return exit_after(problems, exit_input);
  const std::vector<FoundStamp> stamps = find_stamps(*text);
  std::vector<Target> targets;
  std::vector<FoundRecord> records;
  if (!stamps.empty()) {
    Diagnostics of_records;
    records = find_evaluated({options.paths, options.root, {true}}, targets, of_records);
    // Where no trace set is and none was asked for, labels may lead to the store all the same.
    const bool is_asked = !options.paths.empty() || !options.root.empty();
    if (is_asked || !targets.empty()) problems.append(std::move(of_records));
  }
  const StoreListing store = stamps.empty() ? StoreListing{} : list_store(tuned_root());
  const std::vector<Traced> traced = trace_back(stamps, records, store);
  print_traced(traced, options.format);
  const auto lost = static_cast<std::size_t>(std::count_if(
      traced.begin(), traced.end(), [](const Traced& one) { return one.leads_nowhere(); }));
  if (stamps.empty()) tell("no label: kbench run --trace-events and --stamp write them\n");
  if (lost > 0)
    tell(fmt::format("{}: {} without a record\n", counted(traced.size(), "label"), lost));
  return exit_after(problems, stamps.empty() ? exit_undecided
                              : lost > 0     ? exit_negative
                                             : exit_good);
}

}  // namespace

std::function<int()> declare_stamp_parse(CommandLine line) {
  auto options = std::make_shared<StampParseOptions>();
  line.add_option("file", options->file,
                  "Any text with labels in it: a Chrome trace, what a profiler exports, a log; - "
                  "for stdin")
      .required()
      .text("FILE");
  declare_evaluated(line, options->paths);
  line.add_option("--root", options->root, "The trace set").text("DIR");
  line.add_option("--format", options->format, "table (the default) or json")
      .one_of({"table", "json"})
      .text("F");
  return [options] { return parse(*options); };
}

}  // namespace kbench
