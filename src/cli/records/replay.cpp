// kbench replay: docs/records.md.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/records/dump.hpp"
#include "cli/records/verify.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ReplayOptions {
  std::string what;  // FILE or FILE:LINE
  std::string workload, solution;
  std::string dump;
  bool force = false;
  std::string format = "text";
  RunCommand run;
};

struct RecordPlace {
  std::string file;
  int line = 0;  // 0: all
};

// What follows a file's name and a colon is a line.
RecordPlace place_of(const std::string& what, Diagnostics& reports) {
  const auto colon = what.rfind(':');
  if (colon == std::string::npos || is_there(what)) return {what, 0};
  RecordPlace place{what.substr(0, colon), 0};
  if (!is_there(place.file)) return place;
  const char* const end = what.data() + what.size();
  const auto [stop, error] = std::from_chars(what.data() + colon + 1, end, place.line);
  if (error != std::errc() || stop != end || place.line < 1)
    reports.error({place.file},
                  fmt::format("\"{}\" is no number of a line", what.substr(colon + 1)),
                  "say FILE:LINE with a line from 1 on");
  return place;
}

// Turns errors on other lines of the wanted line's file into warnings: they are no reason not to
// judge it.
Diagnostics about(const RecordPlace& place, const Diagnostics& all) {
  Diagnostics out;
  for (Diagnostic one : all.items()) {
    const bool is_beside = one.where.file == place.file && one.where.line != place.line;
    if (place.line > 0 && one.where.line > 0 && is_beside && one.level == Level::error)
      one.level = Level::warning;
    out.add(std::move(one));
  }
  return out;
}

// Keeps the records whose name (by `name_of`) is the one that `word` stands for.
template <class NameOf>
void select(std::vector<FoundRecord>& records, const std::string& word, std::string_view noun,
            const NameOf& name_of, Diagnostics& reports) {
  if (word.empty()) return;
  std::vector<std::string> names;
  for (const FoundRecord& record : records) names.push_back(name_of(record.stored->record));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const NameMatch match = match_name(word, names, noun);
  if (match.name.empty()) reports.error({}, match.message, match.hint);
  std::erase_if(records, [&](const FoundRecord& record) {
    return name_of(record.stored->record) != match.name;
  });
}

std::vector<FoundRecord> chosen(const ReplayOptions& options, std::vector<Target>& targets,
                                Diagnostics& reports) {
  const RecordPlace place = place_of(options.what, reports);
  if (reports.errors() > 0) return {};
  Diagnostics found;
  const std::vector<std::string> paths = {place.file};
  auto records = find_evaluated({paths, options.run.root}, targets, found);
  reports.append(about(place, found));
  if (place.line > 0) {
    std::erase_if(records, [&](const FoundRecord& r) { return r.stored->line != place.line; });
    if (records.empty() && reports.errors() == 0)
      reports.error({place.file, place.line, 1, "", ""}, "no evaluated trace stands there");
  }
  if (reports.errors() > 0) return {};
  select(
      records, options.workload, "workload", [](const Trace& t) { return t.workload.uuid; },
      reports);
  select(
      records, options.solution, "solution", [](const Trace& t) { return *t.solution; }, reports);
  return records;
}

// The command that judges a kernel again, which is no solution to be replayed.
std::string again(const KernelRecord& kernel, const Trace& trace) {
  const std::string& seed = trace.evaluation->kbench->seed;
  return kernel.contract
             ? fmt::format("kbench kernels test {} --op {} --seed {}", kernel.file, kernel.op, seed)
             : fmt::format("kbench run --kernels {} -w {} --seed {}", kernel.file,
                           trace.workload.uuid, seed);
}

// What keeps a record from being judged again is an error, what has changed since the record was
// made a warning.
void check(const std::vector<FoundRecord>& records, Diagnostics& reports) {
  for (const FoundRecord& found : records) {
    const Where where{found.stored->path, found.stored->line, 1, "", ""};
    const Trace& trace = found.stored->record;
    const auto& details = trace.evaluation->kbench;
    if (!details || !details->settings) {
      reports.error(where, "the record holds no settings to judge it again with",
                    "kbench writes them since version 2 of its details");
    } else if (found.set->definition(trace.definition) == nullptr) {
      reports.error(where, fmt::format("no definition \"{}\" in {}", trace.definition,
                                       found.set->root.string()));
    } else if (found.set->solution_of(trace) == nullptr && details->kernel) {
      reports.error(where,
                    fmt::format("it is of a kernel of {}, and no solution of {}",
                                details->kernel->file, found.set->root.string()),
                    again(*details->kernel, trace));
    } else if (found.set->solution_of(trace) == nullptr) {
      reports.error(where, fmt::format("no solution \"{}\" in {}", *trace.solution,
                                       found.set->root.string()));
    } else {
      for (const std::string& what :
           RecordChecker(*found.set, &solution_as_run).check(trace).changed)
        reports.warning(where, what, "what is there now is judged");
    }
  }
}

std::string verdict_text(std::string_view when, const Trace& trace) {
  const std::string cause = cause_of(trace);
  return fmt::format("  {:<10}{}{}{}\n", when, status_name(trace.evaluation->status),
                     cause.empty() ? "" : "  ", printable(cause));
}

Json verdict_json(const std::optional<Trace>& trace) {
  if (!trace) return Json();
  return {{"status", status_name(trace->evaluation->status)}, {"cause", cause_of(*trace)}};
}

void print_one(const Stored<Trace>& stored, const std::optional<Trace>& now, Json* json) {
  if (json != nullptr) {
    json->push_back({{"file", stored.path},
                     {"line", stored.line},
                     {"definition", stored.record.definition},
                     {"workload", stored.record.workload.uuid},
                     {"solution", *stored.record.solution},
                     {"recorded", verdict_json(stored.record)},
                     {"now", verdict_json(now)}});
    return;
  }
  print(record_name(stored) + "\n" + verdict_text("recorded", stored.record) +
        (now ? verdict_text("now", *now) : "  now       not judged\n"));
}

// The exit status.
int compare(const std::vector<FoundRecord>& records, const std::vector<std::optional<Trace>>& now,
            bool as_json) {
  Json json = Json::array();
  bool same = true;
  bool judged = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Stored<Trace>& stored = *records[i].stored;
    print_one(stored, now[i], as_json ? &json : nullptr);
    judged &= now[i].has_value();
    same &= now[i] && now[i]->evaluation->status == stored.record.evaluation->status;
  }
  if (as_json) print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (!judged) return exit_input;
  return same ? exit_good : exit_negative;
}

int replay(ReplayOptions& options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records = chosen(options, targets, reports);
  check(records, reports);
  TensorDump dump(options.dump);
  if (!options.dump.empty() && records.size() > 1) {
    reports.error({},
                  fmt::format("{} has {} records: --dump writes the tensors of one", options.what,
                              records.size()),
                  "say FILE:LINE, or choose with --workload and --solution");
  }
  if (!options.dump.empty() && !options.force) dump.is_free(reports);
  const auto run = replay_options(options.run, reports);
  tell_reports(reports);
  if (!run) return exit_environment;
  if (reports.errors() > 0) return exit_input;
  if (records.empty()) return tell("nothing to do: no record is selected\n"), exit_undecided;
  Diagnostics later;
  RunEvents events = quiet_events(later);
  if (!options.dump.empty()) {
    dump.make_folder();
    dump.watch(events);
  }
  std::vector<const Stored<Trace>*> stored;
  for (const FoundRecord& record : records) stored.push_back(record.stored);
  const std::atomic<bool> stop{false};
  const auto now = judge_again(*records.front().set, stored, *run, events, stop);
  tell_reports(later);
  if (!dump.written().empty()) tell(fmt::format("{}: {}\n", options.dump, dump.written()));
  return compare(records, now, options.format == "json");
}

}  // namespace

std::function<int()> declare_replay(CommandLine line) {
  auto options = std::make_shared<ReplayOptions>();
  line.add_option("trace FILE[:LINE]", options->what, "A file of traces, or one line of it")
      .required();
  line.add_option("-w,--workload UUID", options->workload, "Only of this workload");
  line.add_option("-s,--solution NAME", options->solution, "Only of this solution");
  line.add_option("--dump DIR", options->dump,
                  "Write inputs, output, reference and the double answer, where the rule asks for "
                  "it, below this folder (safetensors)");
  line.add_flag("--force", options->force, "Write over files that are there");
  declare_replay_options(line, options->run);
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return replay(*options); };
}

}  // namespace kbench
