// kbench replay: docs/records.md.
#include "judge/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/records/dump.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "schema/record_signature.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct ReplayOptions {
  std::vector<std::string> paths;  // FILE:LINE, too
  RecordChoice choice;
  bool check = false;
  std::int64_t sample = 0;
  std::optional<std::uint64_t> seed;
  std::string dump;
  bool force = false;
  std::string format = "text";
  RunCommand run;
};

// A record, whether it still belongs to what is there, and what it is when judged again.
struct CheckedRecord {
  FoundRecord found;
  RecordCheck check;
  bool is_replayed = false;
  std::optional<Trace> now;

  const Trace& record() const { return found.stored->record; }
  bool same() const { return now && now->evaluation->status == record().evaluation->status; }
  bool holds() const {
    return check.has_hashes && check.changed.empty() && (!is_replayed || same());
  }
};

struct RecordPlace {
  std::string file;
  int line = 0;  // 0: all
};

// Splits "FILE:LINE": the word behind a file's name and a colon is a line.
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

// Turns errors on other lines of the wanted line's file into warnings, which are no reason not to
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

std::vector<FoundRecord> chosen(ReplayOptions& options, std::vector<Target>& targets,
                                Diagnostics& reports) {
  std::vector<RecordPlace> places;
  std::vector<std::string> files;
  for (const std::string& path : options.paths) {
    places.push_back(place_of(path, reports));
    files.push_back(places.back().file);
  }
  if (reports.errors() > 0) return {};
  Diagnostics found;
  auto records = find_evaluated({files, options.run.root}, targets, found);
  for (const RecordPlace& place : places) found = about(place, found);
  reports.append(std::move(found));
  for (const auto& [file, line] : places) {
    if (line == 0) continue;
    bool is_there = false;
    std::erase_if(records, [&, &file = file, &line = line](const FoundRecord& one) {
      is_there |= one.stored->path == file && one.stored->line == line;
      return one.stored->path == file && one.stored->line != line;
    });
    if (!is_there && reports.errors() == 0)
      reports.error({file, line, 1, "", ""}, "no evaluated trace stands there");
  }
  return records.empty() ? records : chosen_records(records, options.choice, reports);
}

std::vector<CheckedRecord> check_all(const std::vector<FoundRecord>& records) {
  std::map<const TraceSet*, RecordChecker> checkers;
  std::vector<CheckedRecord> out;
  for (const FoundRecord& found : records) {
    RecordChecker& checker =
        checkers.try_emplace(found.set, *found.set, &solution_as_run).first->second;
    out.push_back({found, checker.check(found.stored->record), false, std::nullopt});
  }
  return out;
}

// `count` of those that hold and were run, by chance.
std::vector<CheckedRecord*> sample(std::vector<CheckedRecord>& all, std::size_t count,
                                   std::uint64_t seed) {
  std::vector<CheckedRecord*> chosen;
  for (CheckedRecord& one : all) {
    const auto& details = one.record().evaluation->kbench;
    if (one.holds() && !details->skipped.value_or(false)) chosen.push_back(&one);
  }
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i + 1 < chosen.size() && i < count; ++i)
    std::swap(chosen[i], chosen[i + random() % (chosen.size() - i)]);
  chosen.resize(std::min(count, chosen.size()));
  return chosen;
}

// Judges them again, each with its own seed, rule and settings.
void judge(const std::vector<CheckedRecord*>& chosen, const RunOptions& options,
           const RunEvents& events) {
  const std::atomic<bool> stop{false};
  std::map<const TraceSet*, std::vector<CheckedRecord*>> by_set;
  for (CheckedRecord* one : chosen) by_set[one->found.set].push_back(one);
  for (const auto& [set, ones] : by_set) {
    std::vector<const Stored<Trace>*> records;
    for (const CheckedRecord* one : ones) records.push_back(one->found.stored);
    auto now = judge_again(*set, records, options, events, stop);
    for (std::size_t i = 0; i < ones.size(); ++i) {
      ones[i]->is_replayed = true;
      ones[i]->now = std::move(now[i]);
    }
  }
}

// Returns nothing where the machine cannot hold solutions as is asked, which is reported.
std::optional<RunOptions> replay_options(RunCommand& c, Diagnostics& diagnostics) {
  if (!c.no_cache && !(c.caches = user_caches())) return std::nullopt;
  if (!(c.held_at = isolation_for(c, diagnostics))) return std::nullopt;
  RunOptions options = machine_options(c);
  options.configurator = std::make_shared<ConfiguredJobs>(
      ConfiguringPlan{.policy = SelectionPolicy::heuristic, .threads = threads_for(c)});
  return options;
}

RunEvents quiet_events(Diagnostics& reports) {
  RunEvents events;
  events.reported = [&reports](const Diagnostics& more) { reports.append(more); };
  return events;
}

void tell_reports(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool is_warning = report.level == Level::warning && !terminal().quiet;
    if (is_warning || report.level == Level::error) say(report);
  }
}

// The command that judges a kernel again, which is no solution to be replayed.
std::string again(const KernelRecord& kernel, const Trace& trace) {
  const std::string seed = shell_quote(trace.evaluation->kbench->seed);
  const std::string file = shell_quote(kernel.file);
  return kernel.contract ? fmt::format("kbench kernels test {} --op {} --seed {}", file,
                                       shell_quote(kernel.op), seed)
                         : fmt::format("kbench run --kernels {} -w {} --seed {}", file,
                                       shell_quote(trace.workload.uuid), seed);
}

// An error is what keeps a record from being judged again, a warning what has changed since.
void report_obstacles(const CheckedRecord& one, Diagnostics& reports) {
  const Where where{one.found.stored->path, one.found.stored->line, 1, "", ""};
  const Trace& trace = one.record();
  const TraceSet& set = *one.found.set;
  const auto& details = trace.evaluation->kbench;
  const bool has_solution = set.solution_of(trace) != nullptr;
  if (!details || !details->settings) {
    reports.error(where, "the record holds no settings to judge it again with",
                  "kbench writes them since version 2 of its details");
  } else if (set.definition(trace.definition) == nullptr) {
    reports.error(where,
                  fmt::format("no definition \"{}\" in {}", trace.definition, set.root.string()));
  } else if (!has_solution && details->kernel) {
    reports.error(where,
                  fmt::format("it is of a kernel of {}, and no solution of {}",
                              details->kernel->file, set.root.string()),
                  again(*details->kernel, trace));
  } else if (!has_solution) {
    reports.error(where,
                  fmt::format("no solution \"{}\" in {}", *trace.solution, set.root.string()));
  } else {
    for (const std::string& what : one.check.changed)
      reports.warning(where, what, "what is there now is judged");
  }
}

// The status by itself where only records are checked, else with its cause.
Json verdict_json(const std::optional<Trace>& trace, bool is_check) {
  if (!trace) return Json();
  const std::string_view status = status_name(trace->evaluation->status);
  return is_check ? Json(status) : Json{{"status", status}, {"cause", cause_of(*trace)}};
}

Json json_of(const CheckedRecord& one, bool is_check) {
  const Trace& trace = one.record();
  Json out = {{"file", one.found.stored->path},
              {"line", one.found.stored->line},
              {"definition", trace.definition},
              {"workload", trace.workload.uuid},
              {"solution", *trace.solution}};
  if (is_check) {
    out["holds"] = one.check.has_hashes ? Json(one.holds()) : Json();
    out["changed"] = one.check.changed;
  }
  out["recorded"] = verdict_json(trace, is_check);
  out["now"] = verdict_json(one.now, is_check);
  if (!is_check) return out;
  if (one.is_replayed && !one.now) out["now"] = "not judged";
  const std::string signer = signer_of(trace);
  out["signed_by"] = signer.empty() ? Json() : Json(signer);
  return out;
}

std::string check_text(const CheckedRecord& one) {
  if (!one.check.has_hashes || one.holds()) return "";
  std::vector<std::string> said = one.check.changed;
  if (one.is_replayed && !one.same())
    said.push_back(fmt::format("recorded {}, judged again {}",
                               status_name(one.record().evaluation->status),
                               one.now ? status_name(one.now->evaluation->status) : "not judged"));
  return fmt::format("{}: {}\n", record_name(*one.found.stored), printable(join(said, "; ")));
}

std::string verdict_text(std::string_view when, const Trace& trace) {
  const std::string cause = cause_of(trace);
  return fmt::format("  {:<10}{}{}{}\n", when, status_name(trace.evaluation->status),
                     cause.empty() ? "" : "  ", printable(cause));
}

std::string replay_text(const CheckedRecord& one) {
  return record_name(*one.found.stored) + "\n" + verdict_text("recorded", one.record()) +
         (one.now ? verdict_text("now", *one.now) : "  now       not judged\n");
}

void print_all(const std::vector<CheckedRecord>& all, const ReplayOptions& options) {
  Json json = Json::array();
  std::string text;
  for (const CheckedRecord& one : all) {
    json.push_back(json_of(one, options.check));
    text += options.check ? check_text(one) : replay_text(one);
  }
  if (options.format == "json")
    text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  print(text);
}

void tell_counts(const std::vector<CheckedRecord>& all, const ReplayOptions& options,
                 std::size_t holding, std::size_t broken) {
  std::string text = fmt::format("{} hold, {} do not", holding, broken);
  if (const std::size_t unknown = all.size() - holding - broken; unknown > 0)
    text += fmt::format(", {} cannot be told", unknown);
  const auto count = [&](const auto& has) { return std::count_if(all.begin(), all.end(), has); };
  if (const auto unsigned_ones =
          count([](const CheckedRecord& one) { return signer_of(one.record()).empty(); });
      unsigned_ones > 0)
    text += fmt::format(", {} without a signature", unsigned_ones);
  if (options.sample > 0)
    text +=
        fmt::format("; {} judged again (--sample-seed {})",
                    count([](const CheckedRecord& one) { return one.is_replayed; }), *options.seed);
  tell(text + "\n");
}

int check(std::vector<CheckedRecord>& all, ReplayOptions& options, Diagnostics& reports) {
  if (options.sample > 0) {
    if (!options.seed) options.seed = std::random_device{}();
    const auto run = replay_options(options.run, reports);
    if (!run) return tell_reports(reports), exit_environment;
    judge(sample(all, static_cast<std::size_t>(options.sample), *options.seed), *run,
          quiet_events(reports));
  }
  tell_reports(reports);
  print_all(all, options);
  std::size_t holding = 0, broken = 0;
  for (const CheckedRecord& one : all)
    if (one.check.has_hashes) ++(one.holds() ? holding : broken);
  tell_counts(all, options, holding, broken);
  if (reports.errors() > 0) return exit_input;
  if (broken > 0) return exit_negative;
  return holding > 0 ? exit_good : exit_undecided;
}

int exit_after_replay(const std::vector<CheckedRecord>& all) {
  const auto is_all = [&](const auto& is) { return std::all_of(all.begin(), all.end(), is); };
  if (!is_all([](const CheckedRecord& one) { return one.now.has_value(); })) return exit_input;
  return is_all([](const CheckedRecord& one) { return one.same(); }) ? exit_good : exit_negative;
}

int judge_all(std::vector<CheckedRecord>& all, ReplayOptions& options, Diagnostics& reports) {
  for (const CheckedRecord& one : all) report_obstacles(one, reports);
  const bool has_dump = !options.dump.empty();
  TensorDump dump(options.dump);
  if (has_dump && all.size() > 1) {
    reports.error({},
                  fmt::format("{} has {} records: --dump writes the tensors of one",
                              join(options.paths, " "), all.size()),
                  "say FILE:LINE, or choose with --workload and --solution");
  }
  if (has_dump && !options.force) dump.is_free(reports);
  const auto run = replay_options(options.run, reports);
  tell_reports(reports);
  if (!run) return exit_environment;
  if (reports.errors() > 0) return exit_input;
  if (all.empty()) return tell("nothing to do: no record is selected\n"), exit_undecided;
  Diagnostics later;
  RunEvents events = quiet_events(later);
  if (has_dump) {
    dump.make_folder();
    dump.watch(events);
  }
  std::vector<CheckedRecord*> chosen;
  for (CheckedRecord& one : all) chosen.push_back(&one);
  judge(chosen, *run, events);
  tell_reports(later);
  if (!dump.written().empty()) tell(fmt::format("{}: {}\n", options.dump, dump.written()));
  print_all(all, options);
  return exit_after_replay(all);
}

int replay(ReplayOptions& options) {
  Diagnostics reports;
  std::vector<Target> targets;
  std::vector<CheckedRecord> all = check_all(chosen(options, targets, reports));
  return options.check ? check(all, options, reports) : judge_all(all, options, reports);
}

}  // namespace

std::function<int()> declare_replay(CommandLine line) {
  auto options = std::make_shared<ReplayOptions>();
  line.add_option("path [PATH[:LINE]]...", options->paths,
                  "Files of traces or lines of them, what kbench run --out wrote, trace sets; "
                  "default: the current trace set");
  declare_record_choice(line, options->choice);
  line.take_one_word_each();  // a path may follow each
  line.add_flag("--check", options->check,
                "Say which records still belong to what is there, and judge none");
  line.add_option("--sample,--replay N", options->sample,
                  "With --check: judge as many of those that do, drawn by chance")
      .check(integer(1, 1'000'000'000))
      .needs("--check");
  line.add_option("--sample-seed N", options->seed, "Draw those of an earlier --sample")
      .check(unsigned_integer());
  line.add_option("--dump DIR", options->dump,
                  "Write inputs, output, reference and the double answer, where the rule asks for "
                  "it, below this folder (safetensors)")
      .excludes("--check");
  line.add_flag("--force", options->force, "Write over files that are there");
  line.add_option("--root DIR", options->run.root, "The trace set with definitions and solutions");
  line.add_option("--isolation LEVEL", options->run.isolation,
                  "How solutions are held: A, B, C or auto (the default), as in kbench run")
      .one_of({"A", "B", "C", "auto"});
  line.add_flag("--no-cache", options->run.no_cache, "Build and evaluate anew");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return replay(*options); };
}

}  // namespace kbench
