// kbench verify: docs/records.md.
#include "cli/records/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/shell/values.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "schema/record_origin.hpp"
#include "schema/trace.hpp"

namespace kbench {

void declare_replay_options(CommandLine line, RunCommand& c) {
  line.add_option("--root DIR", c.root, "The trace set with definitions and solutions");
  line.add_option("--isolation LEVEL", c.isolation,
                  "How solutions are held: A, B, C or auto (the default), as in kbench run")
      .one_of({"A", "B", "C", "auto"});
  line.add_flag("--no-cache", c.no_cache, "Build and evaluate anew");
}

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

namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions {
  std::vector<std::string> paths;
  std::int64_t replay = 0;
  std::optional<std::uint64_t> seed;
  std::string format = "text";
  RunCommand run;
};

struct CheckedRecord {
  FoundRecord found;
  RecordCheck check;
  bool is_replayed = false;
  std::optional<Trace> now;

  bool holds() const {
    return check.has_hashes && check.changed.empty() && (!is_replayed || same());
  }
  bool same() const {
    return now && now->evaluation->status == found.stored->record.evaluation->status;
  }
};

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
    const auto& details = one.found.stored->record.evaluation->kbench;
    if (one.holds() && !details->skipped.value_or(false)) chosen.push_back(&one);
  }
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i + 1 < chosen.size() && i < count; ++i)
    std::swap(chosen[i], chosen[i + random() % (chosen.size() - i)]);
  chosen.resize(std::min(count, chosen.size()));
  return chosen;
}

void replay(const std::vector<CheckedRecord*>& chosen, const RunOptions& options,
            Diagnostics& reports) {
  const std::atomic<bool> stop{false};
  std::map<const TraceSet*, std::vector<CheckedRecord*>> by_set;
  for (CheckedRecord* one : chosen) by_set[one->found.set].push_back(one);
  for (const auto& [set, ones] : by_set) {
    std::vector<const Stored<Trace>*> records;
    for (const CheckedRecord* one : ones) records.push_back(one->found.stored);
    auto now = judge_again(*set, records, options, quiet_events(reports), stop);
    for (std::size_t i = 0; i < ones.size(); ++i) {
      ones[i]->is_replayed = true;
      ones[i]->now = std::move(now[i]);
    }
  }
}

std::string_view status_of(const std::optional<Trace>& trace) {
  return trace ? status_name(trace->evaluation->status) : "not judged";
}

std::string line_of(const CheckedRecord& one) {
  std::vector<std::string> said = one.check.changed;
  if (one.is_replayed && !one.same()) {
    said.push_back(fmt::format("recorded {}, judged again {}",
                               status_name(one.found.stored->record.evaluation->status),
                               status_of(one.now)));
  }
  return fmt::format("{}: {}\n", record_name(*one.found.stored), printable(join(said, "; ")));
}

Json json_of(const CheckedRecord& one) {
  const Trace& trace = one.found.stored->record;
  Json out = {{"file", one.found.stored->path},
              {"line", one.found.stored->line},
              {"definition", trace.definition},
              {"workload", trace.workload.uuid},
              {"solution", *trace.solution},
              {"holds", Json()},
              {"changed", one.check.changed},
              {"recorded", status_name(trace.evaluation->status)},
              {"now", Json()},
              {"signed_by", Json()}};
  if (const std::string signer = signer_of(trace); !signer.empty()) out["signed_by"] = signer;
  if (one.check.has_hashes) out["holds"] = one.holds();
  if (one.is_replayed) out["now"] = status_of(one.now);
  return out;
}

void print_all(const std::vector<CheckedRecord>& all, bool as_json) {
  if (as_json) {
    Json out = Json::array();
    for (const CheckedRecord& one : all) out.push_back(json_of(one));
    return print(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  std::string text;
  for (const CheckedRecord& one : all) {
    if (one.check.has_hashes && !one.holds()) text += line_of(one);
  }
  print(text);
}

struct RecordCounts {
  std::size_t holding = 0, broken = 0, unknown = 0, replayed = 0, without_signature = 0;
};

RecordCounts count(const std::vector<CheckedRecord>& all) {
  RecordCounts counts;
  for (const CheckedRecord& one : all) {
    ++(!one.check.has_hashes ? counts.unknown : one.holds() ? counts.holding : counts.broken);
    counts.replayed += one.is_replayed ? 1 : 0;
    counts.without_signature += signer_of(one.found.stored->record).empty() ? 1 : 0;
  }
  return counts;
}

void tell_counts(const RecordCounts& counts, const VerifyOptions& options) {
  std::string text = fmt::format("{} hold, {} do not", counts.holding, counts.broken);
  if (counts.unknown > 0) text += fmt::format(", {} cannot be told", counts.unknown);
  if (counts.without_signature > 0)
    text += fmt::format(", {} without a signature", counts.without_signature);
  if (options.replay > 0)
    text += fmt::format("; {} judged again (--sample-seed {})", counts.replayed, *options.seed);
  tell(text + "\n");
}

int verify(VerifyOptions& options) {
  Diagnostics reports;
  std::vector<Target> targets;
  std::vector<CheckedRecord> all =
      check_all(find_evaluated({options.paths, options.run.root}, targets, reports));
  if (options.replay > 0) {
    if (!options.seed) options.seed = std::random_device{}();
    const auto run = replay_options(options.run, reports);
    if (!run) return tell_reports(reports), exit_environment;
    replay(sample(all, static_cast<std::size_t>(options.replay), *options.seed), *run, reports);
  }
  tell_reports(reports);
  print_all(all, options.format == "json");
  const RecordCounts counts = count(all);
  tell_counts(counts, options);
  if (reports.errors() > 0) return exit_input;
  if (counts.broken > 0) return exit_negative;
  return counts.holding > 0 ? exit_good : exit_undecided;
}

}  // namespace

std::function<int()> declare_verify(CommandLine line) {
  auto options = std::make_shared<VerifyOptions>();
  line.add_option("path [PATH]...", options->paths,
                  "Files of traces, what kbench run --out wrote, trace sets; default: the current "
                  "trace set");
  line.add_option("--replay N", options->replay, "Judge as many records again, drawn by chance")
      .check(integer(1, 1'000'000'000));
  line.add_option("--sample-seed N", options->seed, "Draw those of an earlier --replay")
      .check(unsigned_integer());
  declare_replay_options(line, options->run);
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return verify(*options); };
}

}  // namespace kbench
