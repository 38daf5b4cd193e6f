#include "tune/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <memory>
#include <random>
#include <set>

#include "base/system.hpp"
#include "judge/contest.hpp"
#include "judge/judgement.hpp"
#include "tune/race.hpp"

namespace kbench {
namespace {

// Length of the shortest sample taken; nanoseconds.
constexpr double sample_ns = 50'000;
// Samples that a search takes of each configuration for each effort, if it is not out before.
constexpr std::size_t samples_of_effort = 2;
// Samples of a load, then there is a fresh one: the places of code and memory change a time by a
// percent.
constexpr std::size_t samples_of_load = 4;
// Processes that are there at once, while samples are taken of each in turn; and of those from one
// batch to the next, of the fastest that are in: each that ends would have to be judged again.
constexpr std::size_t most_processes = 24;
constexpr std::size_t most_waiting = 8;

// Configuration with its process.
struct Entry {
  std::uint32_t number = 0;  // number in the space
  const Solution* solution = nullptr;
  BuildResult build;
  std::unique_ptr<Contender> judgement;  // judgement while it is in the race
  RunEpochs run;
  std::uint64_t calls = 1;  // calls of a sample
  std::size_t sampled = 0;  // samples of this process, whose outputs can be judged
};

class Tuner {
 public:
  Tuner(const Workplace& place, const TuneSubject& subject, const TuneOptions& options,
        const TuneProgress& progress)
      : place_(place),
        solution_(subject.solution),
        tunables_(subject.tunables),
        space_(subject.space),
        start_(subject.start ? subject.start
                             : start_of_runs(place.workload, place.stage, place.options,
                                             Judging::among_many)),
        options_(options),
        progress_(progress),
        cores_(split_cores(place.options.limits.threads)),
        race_(rule_of(options)),
        random_(fresh_secret()) {
    report_.space = space_.size();
  }

  TuneReport run() {
    const double begin = judges_clock_ns();
    SearchOptions search = options_.search;
    note_heuristic(search);
    search.stop = [&, stop = search.stop] {
      const double seconds = (judges_clock_ns() - begin) * 1e-9;
      return (options_.budget_seconds > 0 && seconds > options_.budget_seconds) || (stop && stop());
    };
    const Objective objective = [this](std::span<const std::uint32_t> numbers, int effort) {
      return ask(numbers, effort);
    };
    report_.end = run_search(space_, objective, *options_.strategy, search).end;
    if (report_.end == SearchEnd::stopped && is_going_on()) report_.end = SearchEnd::budget;
    if (is_going_on()) run_race(options_.race.most);
    report_.search_seconds = (judges_clock_ns() - begin) * 1e-9;
    if (is_going_on()) hold_contest();
    return std::move(report_);
  }

 private:
  bool is_going_on() const { return !options_.search.stop || !options_.search.stop(); }

  // Ends the race once the finalists are left, as the contest compares these more exactly.
  static RaceRule rule_of(const TuneOptions& options) {
    RaceRule rule = options.race;
    rule.enough = std::max<std::size_t>(options.finalists, 1);
    return rule;
  }

  // Puts the heuristic's first: all others are held against it.
  void note_heuristic(SearchOptions& search) {
    const auto values = heuristic_configuration(
        tunables_, call_facts(place_.workload.problem, tunables_.implementation));
    heuristic_ = values ? space_.number(*values) : std::nullopt;
    if (heuristic_) search.first.insert(search.first.begin(), *heuristic_);
  }

  Stage race_stage() const {
    const Problem& problem = place_.workload.problem;
    const auto& label_of = place_.options.label_of;
    return {"race", problem.definition, problem.workload, solution_.name,
            label_of ? label_of(solution_, nullptr) : ""};
  }

  std::vector<std::optional<double>> ask(std::span<const std::uint32_t> numbers, int effort) {
    enter(numbers);
    {
      const StageSpan span(place_.options.stages, race_stage());
      run_race(samples_of_effort * static_cast<std::size_t>(effort));
    }
    release_but_the_fastest();
    std::vector<std::optional<double>> costs;
    for (const std::uint32_t number : numbers) costs.push_back(race_.shortest(seats_.at(number)));
    if (progress_) progress_(report_);
    return costs;
  }

  void release_but_the_fastest() {
    std::vector<std::size_t> waiting = race_.remaining();
    sort_by_time(waiting);
    if (waiting.size() > most_waiting) waiting.resize(most_waiting);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (std::find(waiting.begin(), waiting.end(), i) == waiting.end()) release(i);
    }
  }

  void sort_by_time(std::vector<std::size_t>& order) const {
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return race_.shortest(a) < race_.shortest(b);
    });
  }

  // Builds the new ones beside each other, and judges one after the other.
  void enter(std::span<const std::uint32_t> numbers) {
    std::vector<const Solution*> fresh;
    const std::size_t first = entries_.size();
    for (const std::uint32_t number : numbers) {
      if (!seats_.emplace(number, entries_.size()).second) continue;
      Configuration values = space_.configuration(number);
      solutions_.push_back(with_configuration(solution_, tunables_, values));
      entries_.push_back({.number = number, .solution = &solutions_.back()});
      fresh.push_back(&solutions_.back());
      race_.add();
      report_.rows.push_back({.configuration = std::move(values)});
      if (heuristic_ == number) report_.heuristic = report_.rows.size() - 1;
    }
    if (fresh.empty()) return;
    Builds builds = place_.build(fresh);
    for (std::size_t i = first; i < entries_.size(); ++i) take_build(i, builds);
    for (std::size_t i = first; i < entries_.size(); ++i) {
      if (race_.is_in(i)) pass_gate(i);
    }
  }

  void take_build(std::size_t i, Builds& builds) {
    const Solution* const solution = entries_[i].solution;
    for (const auto* reasons : {&builds.refused, &builds.unrun, &builds.broken}) {
      const auto found = reasons->find(solution);
      if (found != reasons->end()) return drop(i, Status::runtime_error, found->second);
    }
    const BuildResult& build = entries_[i].build = std::move(builds.results.at(solution));
    libraries_.insert(build.library);
    report_.builds = libraries_.size();
    const std::string said = build.cause.empty() ? build.log : build.cause;
    if (!build.built) drop(i, Status::compile_error, said.substr(0, said.find('\n')));
  }

  // Judges a configuration on the real inputs, before anything of it is timed.
  void pass_gate(std::size_t i) {
    Contender& judgement = start(i);
    judgement.load();
    if (!judgement.is_finished()) {
      ++report_.gate_calls;
      judgement.judge_last();
      note_first(i);
    }
    begin_timing(i);
  }

  Contender& start(std::size_t i) {
    Entry& entry = entries_[i];
    entry.judgement = start_({entry.solution, &entry.build});
    return *entry.judgement;
  }

  void note_first(std::size_t i) {
    if (const auto took = entries_[i].judgement->call_ns()) race_.take_first(i, *took);
  }

  void begin_timing(std::size_t i) {
    Entry& entry = entries_[i];
    if (entry.judgement->is_finished()) return fail(i);
    entry.judgement->keep_to(cores_);
    if (!entry.judgement->begin_timing()) return fail(i);
    entry.sampled = 0;
    entry.run = entry.judgement->run_in_turn();
  }

  void drop(std::size_t i, Status status, std::string cause) {
    race_.drop(i);
    report_.rows[i].status = status;
    report_.rows[i].cause = std::move(cause);
    report_.rows[i].samples_ns.clear();
    entries_[i].judgement.reset();
  }

  void fail(std::size_t i) {
    const Evaluation evaluation = entries_[i].judgement->finish();
    drop(i, evaluation.status, evaluation.kbench->cause.value_or(""));
  }

  // Races until each that is in has so many samples.
  void run_race(std::size_t samples) {
    const OnJudgesCore here(cores_);
    for (auto next = race_.next(); !next.empty(); next = race_.next()) {
      if (race_.samples(next.front()).size() >= samples || !is_going_on()) return;
      for (const std::size_t i : next) {
        race_.settle(i);  // samples of those before it decide
        if (race_.is_in(i)) take_sample(i);
      }
      race_.settle();
    }
  }

  // Ends its process; the outputs that its timed calls have left must be right.
  void release(std::size_t i) {
    Entry& entry = entries_[i];
    if (!entry.judgement) return;
    if (entry.sampled == 0 || entry.judgement->end_timing())
      entry.judgement.reset();
    else
      fail(i);
  }

  void take_sample(std::size_t i) {
    Entry& entry = entries_[i];
    const bool is_loaded = entry.judgement && entry.sampled < samples_of_load;
    if (!is_loaded && !load_again(i)) return;
    auto sample = sample_of(entry);
    if (sample && race_.samples(i).empty() && *sample < sample_ns) {  // call is too short
      entry.calls = static_cast<std::uint64_t>(std::ceil(sample_ns / std::max(*sample, 1.0)));
      sample = sample_of(entry);
    }
    if (!sample) return fail(i);
    race_.take(i, *sample);
    report_.rows[i].samples_ns.push_back(*sample);
    if (processes() > most_processes) release(i);  // its next sample is of another process
  }

  std::size_t processes() const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(),
                      [](const Entry& entry) { return entry.judgement != nullptr; }));
  }

  // Returns the nanoseconds of a call.
  std::optional<double> sample_of(Entry& entry) {
    Epochs epochs;
    epochs.calls = entry.calls;
    epochs.cold = place_.options.judge.cold ? 1 : 0;
    epochs.seed = static_cast<std::uint32_t>(random_());
    report_.race_calls += entry.calls;
    const auto samples = entry.run(epochs);
    if (!samples || samples->empty()) return std::nullopt;
    ++entry.sampled;
    return std::max(samples->front() / static_cast<double>(entry.calls), 0.1);
  }

  bool load_again(std::size_t i) {
    release(i);
    if (!race_.is_in(i)) return false;
    ++report_.gate_calls;
    if (start(i).come_back()) note_first(i);
    begin_timing(i);
    return race_.is_in(i);
  }

  // Returns the fastest, and the heuristic's whatever its place.
  std::vector<std::size_t> finalists() {
    std::vector<std::size_t> order = race_.remaining();
    sort_by_time(order);
    if (order.size() > options_.finalists) order.resize(options_.finalists);
    const auto heuristic = report_.heuristic;
    const bool is_missing = heuristic && race_.shortest(*heuristic) &&
                            std::find(order.begin(), order.end(), *heuristic) == order.end();
    if (is_missing) order.push_back(*heuristic);
    return order;
  }

  // Judges finalists on all input sets and compares them by fresh loads. Others that were slower in
  // the race replace one that does not pass: a wrong one is often fast.
  void hold_contest() {
    for (std::size_t i = 0; i < entries_.size(); ++i) release(i);
    for (auto order = finalists(); !order.empty();) {
      std::vector<Entrant> entrants;
      for (const std::size_t i : order)
        entrants.push_back({entries_[i].solution, &entries_[i].build});
      const WorkloadContest contest =
          run_contest({place_.workload, place_.options, start_}, entrants, options_.contest);
      report_.contest_seconds += contest.seconds;
      if (!note_contest(order, contest) || !is_going_on()) return;
      race_.readmit();
      order = finalists();
      const bool are_known = std::all_of(order.begin(), order.end(), [this](std::size_t i) {
        return report_.rows[i].is_finalist;
      });
      if (report_.winner && are_known) return;
      report_.winner.reset();
    }
  }

  // Returns true where others have to be asked.
  bool note_contest(const std::vector<std::size_t>& order, const WorkloadContest& contest) {
    bool has_failed = false;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto& [solution, evaluation] = contest.entrants[k];
      TuneRow& row = report_.rows[order[k]];
      row.is_finalist = true;
      if (evaluation.status != Status::passed) {
        row.status = evaluation.status;
        row.cause = evaluation.kbench->cause.value_or("");
        race_.drop(order[k]);
        has_failed = true;
      } else if (evaluation.kbench->timing) {
        row.median_ns = evaluation.kbench->timing->median_ns;
        row.p10_ns = evaluation.kbench->timing->p10_ns;
      }
    }
    if (contest.contested) {
      decide(order, contest);
      return has_failed;
    }
    for (const std::size_t i : order) {  // one is alone
      if (report_.rows[i].status == Status::passed) report_.winner = i;
    }
    if (report_.winner) report_.decision = TuneDecision::only;
    return has_failed;
  }

  void decide(const std::vector<std::size_t>& order, const WorkloadContest& held) {
    const Contest& contest = held.contested->contest;
    std::vector<std::size_t> rows;         // rows of the contenders
    std::vector<double> shortest_ns;       // shortest sample of each contender
    std::optional<std::size_t> heuristic;  // its place among them
    for (const std::size_t entrant : held.contenders) {
      if (report_.heuristic == order[entrant]) heuristic = rows.size();
      rows.push_back(order[entrant]);
      const auto& samples = held.entrants[entrant].evaluation.kbench->timing->samples_ns;
      shortest_ns.push_back(*std::min_element(samples.begin(), samples.end()));
    }
    for (std::size_t k = 0; heuristic && k < rows.size(); ++k) {
      if (k != *heuristic) report_.rows[rows[k]].against = contest.compare(*heuristic, k);
    }
    const std::size_t winner = winner_of(contest, shortest_ns, heuristic);
    report_.winner = rows[winner];
    report_.decision = !heuristic            ? TuneDecision::only
                       : winner == heuristic ? TuneDecision::tied
                                             : TuneDecision::beaten;
  }

  const Workplace& place_;
  const Solution& solution_;
  const Tunables& tunables_;
  const Space& space_;
  StartContender start_;
  const TuneOptions& options_;
  const TuneProgress& progress_;
  CoreSplit cores_;
  Race race_;
  std::mt19937_64 random_;
  std::optional<std::uint32_t> heuristic_;  // number in the space
  std::deque<Solution> solutions_;
  std::deque<Entry> entries_;  // entries, numbered as in the race
  std::map<std::uint32_t, std::size_t> seats_;
  std::set<std::filesystem::path> libraries_;  // shared where only calls differ
  TuneReport report_;
};

}  // namespace

std::optional<double> TuneRow::shortest_ns() const {
  if (samples_ns.empty() || status != Status::passed) return std::nullopt;
  return *std::min_element(samples_ns.begin(), samples_ns.end());
}

std::string_view decision_name(TuneDecision decision) {
  constexpr std::string_view names[] = {"beaten", "tied", "only", "none"};
  return names[static_cast<std::size_t>(decision)];
}

TuneReport tune(const Workplace& place, const TuneSubject& subject, const TuneOptions& options,
                const TuneProgress& progress) {
  return Tuner(place, subject, options, progress).run();
}

}  // namespace kbench
