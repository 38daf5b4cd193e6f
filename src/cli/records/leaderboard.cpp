// kbench leaderboard: docs/leaderboard.md.
#include "report/leaderboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/records/flashinfer_leaderboard.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

struct LeaderboardOptions {
  std::vector<std::string> paths;
  std::string root;
  std::string by = "solution";
  std::string baseline = "reference";
  RecordChoice choice;
  std::string trust;  // "": audited records, or where there are none, all of them
  std::vector<double> p = {1, 1.5, 2};
  std::string scoring = "kbench";
  std::string format = "table";
  ResultFilter filter;
};

RankBy rank_by(const std::string& word) {
  if (word == "author") return RankBy::author;
  return word == "definition" ? RankBy::definition : RankBy::solution;
}

// Authors of solutions, where a trace set says so.
class Catalogue {
 public:
  explicit Catalogue(const std::vector<Target>& targets) {
    for (const Target& target : targets) {
      for (const auto& stored : target.set.solutions)
        authors_.emplace(stored.record.name, stored.record.author);
    }
  }

  std::string_view author(std::string_view solution) const { return find(authors_, solution); }

 private:
  using Names = std::map<std::string, std::string, std::less<>>;
  static std::string_view find(const Names& names, std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? std::string_view() : found->second;
  }

  Names authors_;
};

GridCell count_cell(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

GridCell share_cell(double share) { return {share, fmt::format("{:.0f}%", 100 * share)}; }

// Programs read the share that is sure.
GridCell range_cell(const Interval& shares) {
  if (shares.low == shares.high) return share_cell(shares.low);
  return {shares.low, fmt::format("{:.0f} to {:.0f}%", 100 * shares.low, 100 * shares.high)};
}

std::string factor_text(double log_factor) { return fmt::format("{:.3g}x", std::exp(log_factor)); }

GridCell factor_cell(double log_factor) { return {std::exp(log_factor), factor_text(log_factor)}; }

std::string p_text(double p) { return fmt::format("fast_{:g}", p); }

std::vector<GridColumn> columns_of(const LeaderboardOptions& options) {
  const bool by_definition = options.by == "definition";
  std::vector<GridColumn> columns = {
      {"hardware", "", Shown::never},
      {"definition", "", by_definition ? Shown::always : Shown::never},
      {"rank", "", Shown::where_any},
      {by_definition ? "best" : options.by},
      {options.by == "author" ? "definitions" : "author", "", Shown::where_any},
      {"workloads"},
      {"workloads_of", "", Shown::never},
      {"passed"},
      {"speedup"},
      {"speedup_low", options.baseline == "reference" ? "99 %" : "95 %"},
      {"speedup_high", "", Shown::never},
      {"undecided", "", Shown::where_any}};
  for (const double p : options.p) columns.push_back({p_text(p)});
  columns.push_back({"wins"});
  return columns;
}

// Cell that marks who tried less than others.
GridCell of_cell(std::size_t tried, std::size_t all) {
  GridCell cell = count_cell(tried);
  if (tried < all) cell.text = fmt::format("{} of {}", tried, all);
  return cell;
}

std::vector<GridCell> row_of(const Board& board, const Standing& standing,
                             const LeaderboardOptions& options) {
  const bool by_definition = options.by == "definition";
  std::vector<GridCell> row = {
      {board.hardware},
      text_cell(by_definition ? standing.name : board.definition),
      by_definition ? GridCell{} : count_cell(standing.rank),
      text_cell(by_definition ? standing.solution : standing.name),
      options.by == "author" ? of_cell(standing.definitions, standing.definitions_of)
                             : text_cell(standing.author),
      of_cell(standing.tried, standing.workloads),
      count_cell(standing.workloads),
      share_cell(standing.tried == 0
                     ? 0
                     : static_cast<double>(standing.passed) / static_cast<double>(standing.tried))};
  row.push_back(standing.speedup ? factor_cell(standing.speedup->value) : GridCell{});
  const auto interval = standing.speedup ? standing.speedup->interval : std::nullopt;
  add_ends(
      row, exp_of(interval),
      interval ? factor_text(interval->low) + " to " + factor_text(interval->high) : "not decided");
  row.push_back(standing.undecided > 0 ? count_cell(standing.undecided) : GridCell{});
  for (const Interval& fast : standing.fast)
    row.push_back(std::isnan(fast.low) ? GridCell{} : range_cell(fast));
  row.push_back(share_cell(standing.wins));
  return row;
}

std::vector<Grid> grids_of(const std::vector<Board>& boards, const LeaderboardOptions& options) {
  std::vector<Grid> grids;
  for (const Board& board : boards) {
    Grid grid;
    grid.title =
        board.definition.empty() ? board.hardware : board.definition + " on " + board.hardware;
    grid.columns = columns_of(options);
    for (const Standing& standing : board.standings)
      grid.rows.push_back(row_of(board, standing, options));
    grids.push_back(std::move(grid));
  }
  return grids;
}

void tell_left_out(const LeftOut& out, bool nothing_left) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::size_t count, const char* why) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, why));
  };
  add(out.plain, "of plain mode, whose times a candidate could forge (--trust plain counts them)");
  add(out.rule, "of another rule");
  add(out.hardware, "of other hardware");
  add(out.since, "too old");
  add(out.sanitized, "of --sanitize");
  add(out.of(Doubt::edited),
      "changed after they were written (their digest is another, or is missing)");
  add(out.of(Doubt::not_signed), "that no trusted key has signed");
  add(out.of(Doubt::signed_in_old_form), "signed in the old form, of their digest alone");
  add(out.of(Doubt::contradictory), "whose figures contradict each other");
  add(out.of(Doubt::outdated), "whose definition, workload or solution has changed since");
  add(out.non_discriminating,
      "of workloads that cannot tell right from wrong (--non-discriminating counts them)");
  add(out.older, "replaced by newer ones");
  if (!parts.empty())
    tell(fmt::format("{}records left out: {}\n", nothing_left ? "nothing to rank; " : "",
                     join(parts, ", ")));
}

// Tells whether somebody has that name; reports where nobody has.
bool is_known_baseline(const std::string& baseline, const std::vector<Result>& results,
                       const Catalogue& catalogue) {
  if (baseline.empty()) return true;
  std::vector<std::string> names;
  for (const Result& result : results) {
    names.emplace_back(result.solution);
    names.emplace_back(catalogue.author(result.solution));
  }
  if (std::find(names.begin(), names.end(), baseline) != names.end()) return true;
  Diagnostics reports;
  reports.error({},
                fmt::format("--baseline: no record of a solution or an author \"{}\"", baseline),
                did_you_mean(baseline, names));
  ReportPrinter().print(reports);
  return false;
}

// Results that count, as they come. Times of plain mode do where nothing is audited and nobody has
// asked for that: their origin is said.
class CountingResults {
 public:
  explicit CountingResults(const LeaderboardOptions& options)
      : audited_(filter_of(options, options.trust == "plain")) {
    if (options.trust.empty()) all_.emplace(filter_of(options, true));
  }

  void take(const Trace& trace) {
    signatures_.note(trace);
    audited_.take(trace, false);
    if (!audited_.empty()) all_.reset();
    if (all_) all_->take(trace, false);
  }

  Results finish() {
    if (const std::string remark = signatures_.remark(); !remark.empty()) tell(remark + "\n");
    Results found = audited_.finish();
    if (!all_ || found.left_out.plain == 0) return found;
    found = all_->finish();
    if (!found.results.empty())
      tell(
          "ranked by times of plain mode, which a candidate could forge: kbench run --audit takes "
          "times that none can\n");
    return found;
  }

  std::size_t count() const { return signatures_.all; }

 private:
  static ResultFilter filter_of(const LeaderboardOptions& options, bool plain) {
    ResultFilter filter = options.filter;
    filter.plain = plain;
    return filter;
  }

  ResultCollector audited_;
  std::optional<ResultCollector> all_;
  SignatureCount signatures_;
};

int rank_results(const LeaderboardOptions& options, CountingResults& counting,
                 const Catalogue& catalogue) {
  const Results found = counting.finish();
  tell_left_out(found.left_out, found.results.empty());
  if (found.results.empty()) return exit_undecided;
  LeaderboardRule rule{rank_by(options.by), options.baseline, options.p};
  if (rule.baseline == "reference") rule.baseline.clear();
  if (!is_known_baseline(rule.baseline, found.results, catalogue)) return exit_input;
  const AuthorOf author_of = [&catalogue](std::string_view solution) {
    return catalogue.author(solution);
  };
  print_document({.grids = grids_of(leaderboard(found.results, author_of, rule), options)},
                 options.format);
  return exit_good;
}

std::string first_of(const std::vector<std::string>& words) {
  return words.empty() ? "" : words.front();
}

int rank_as_flashinfer_bench(const LeaderboardOptions& options,
                             const std::vector<Target>& targets) {
  if (targets.size() != 1 || targets.front().set.solutions.empty()) {
    Diagnostics reports;
    reports.error({}, "--scoring flashinfer-bench ranks one trace set with its solutions");
    ReportPrinter().print(reports);
    return exit_input;
  }
  if (!options.filter.hardware.empty()) {
    Diagnostics reports;
    reports.error({}, "--hardware means nothing with --scoring flashinfer-bench",
                  "it ranks the records of all machines together");
    ReportPrinter().print(reports);
    return exit_input;
  }
  TraceSet set = targets.front().set;
  if (targets.front().from_files) set.traces = targets.front().workloads;
  Diagnostics reports;
  LeftOut left_out;
  std::erase_if(set.traces,
                [&](const Stored<Trace>& stored) { return left_out.add(stored.record); });
  warn_of_doubts(left_out, reports);
  ReportPrinter().print(reports);
  return rank_as_flashinfer_bench(
      set, {options.by,
            options.baseline == "reference" ? "baseline" : options.baseline,
            {first_of(options.choice.op_types), first_of(options.choice.definitions)},
            options.format});
}

void tell_nothing_chosen(std::size_t records, const Diagnostics& reports) {
  if (records == 0 && reports.errors() == 0)
    tell("nothing to rank: no evaluated traces, as kbench run writes them\n");
  if (records > 0)
    tell(fmt::format("nothing to rank: the options choose none of {}\n",
                     counted(records, "record")));
}

constexpr AlsoFound marked{.without_set = true, .marks_outdated = true};

int rank_as_kbench(LeaderboardOptions options) {
  Diagnostics reports;
  std::vector<Target> targets;
  std::size_t records = 0;
  CountingResults counting(options);
  const bool is_clear = for_each_chosen({options.paths, options.root, marked}, options.choice,
                                        targets, reports, [&](const FoundRecord& found, bool has) {
                                          ++records;
                                          if (has) counting.take(found.stored->record);
                                        });
  ReportPrinter().print(reports);
  int status = exit_undecided;
  if (counting.count() > 0)
    status = rank_results(options, counting, Catalogue(targets));
  else if (is_clear)
    tell_nothing_chosen(records, reports);
  return reports.errors() > 0 ? exit_input : status;
}

int rank_as_flashinfer_bench(LeaderboardOptions options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records = find_evaluated({options.paths, options.root, marked}, targets, reports);
  const std::size_t before = reports.errors();
  const auto chosen = chosen_records(records, options.choice, reports);
  if (chosen.empty() && reports.errors() == before) tell_nothing_chosen(records.size(), reports);
  ReportPrinter().print(reports);
  const int status = chosen.empty() ? static_cast<int>(exit_undecided)
                                    : rank_as_flashinfer_bench(options, targets);
  return reports.errors() > 0 ? exit_input : status;
}

int leaderboard_of(LeaderboardOptions options) {
  options.filter.since = std::exchange(options.choice.since, "");  // says how many are too old
  return options.scoring == "kbench" ? rank_as_kbench(std::move(options))
                                     : rank_as_flashinfer_bench(std::move(options));
}

void declare_selection(CommandLine line, LeaderboardOptions& o) {
  declare_evaluated(line, o.paths);
  line.add_option("--root DIR", o.root, "The trace set that says whose the solutions are");
  declare_record_choice(line, o.choice);
  line.add_option("--hardware NAME", o.filter.hardware, "Of machines whose name begins so");
  line.add_option("--rule RULE", o.filter.rule, "Judged by this rule alone; default: any");
  line.add_option("--trust MODE", o.trust,
                  "audit: records of kbench run --audit alone; plain: all of them; default: audit, "
                  "or plain where there are no others")
      .one_of({"audit", "plain"});
  line.add_flag("--non-discriminating", o.filter.non_discriminating,
                "Count workloads that cannot tell right from wrong, too");
}

}  // namespace

std::function<int()> declare_leaderboard(CommandLine line) {
  auto options = std::make_shared<LeaderboardOptions>();
  LeaderboardOptions& o = *options;
  declare_selection(line, o);
  line.add_option("--by WHAT", o.by, "What is ranked: solution (the default), author or definition")
      .one_of({"solution", "author", "definition"});
  line.add_option("--baseline NAME", o.baseline,
                  "What speed-ups are against: reference (the default), a solution, or an author's "
                  "solution of each definition");
  line.add_option("--p P,...", o.p, "Speed-ups of fast_p; default 1,1.5,2")
      .delimiter(',')
      .check(positive(1e6));
  line.add_option("--scoring S", o.scoring,
                  "kbench (the default), or flashinfer-bench: that program's own ranking")
      .one_of({"kbench", "flashinfer-bench"});
  declare_format(line, o.format);
  return [options] {
    std::sort(options->p.begin(), options->p.end());
    options->p.erase(std::unique(options->p.begin(), options->p.end()), options->p.end());
    return leaderboard_of(*options);
  };
}

}  // namespace kbench
