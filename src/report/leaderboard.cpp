#include "report/leaderboard.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace kbench {
namespace {

// A workload on a machine: only there are times compared.
using Place = std::pair<std::string_view, std::string_view>;
using OfSolution = std::map<Place, const Result*>;
using OfDefinition = std::map<std::string_view, OfSolution>;  // keyed by solution
using OfHardware = std::map<std::string_view, OfDefinition>;  // keyed by definition
using Grouped = std::map<std::string_view, OfHardware>;       // keyed by hardware

Grouped group(const std::vector<Result>& results) {
  Grouped groups;
  for (const Result& result : results)
    groups[result.hardware][result.definition][result.solution][{result.workload, result.machine}] =
        &result;
  return groups;
}

// Tells whether a slowdown of the second one may well be none.
bool may_be_none(const Estimate& slowdown) {
  return slowdown.interval ? slowdown.interval->low <= 0 : slowdown.value <= 0;
}

// All solutions of a definition on one kind of machine.
class Field {
 public:
  Field(const OfDefinition& solutions, const AuthorOf& author_of, const LeaderboardRule& rule)
      : solutions_(solutions), author_of_(author_of), rule_(rule), baseline_(find_baseline()) {
    for (const auto& [name, results] : solutions) {
      for (const auto& [place, result] : results) {
        places_.insert(place);
        if (result->speed) note_speed(place, *result);
      }
    }
  }

  Standing standing(std::string_view name) const {
    const OfSolution& results = solutions_.at(name);
    Standing standing{std::string(name), std::string(author_of_(name)), std::string(name)};
    standing.tried = results.size();
    standing.workloads = places_.size();
    std::size_t wins = 0, compared = 0;  // compared with the baseline; a failure needs none
    std::vector<Estimate> speedups, behind;
    for (const auto& [place, result] : results) {
      if (result->speed) behind.push_back(*result->speed - *fastest_.at(place)->speed);
      standing.passed += result->passed ? 1 : 0;
      wins += is_unbeaten(place, *result) ? 1 : 0;
      const auto speedup = speedup_of(place, *result);
      if (speedup) speedups.push_back(*speedup);
      compared += speedup || !result->passed ? 1 : 0;
    }
    standing.undecided = results.size() - compared;
    standing.speedup = mean_of(speedups);
    if (const auto mean = mean_of(behind)) standing.behind = mean->value;
    for (const double p : rule_.p) standing.fast.push_back(fast_share(speedups, p, compared));
    standing.wins = share(wins, results.size());
    return standing;
  }

  // Log slowdown of `b` beside `a`, where both passed: the time of the reference or the baseline is
  // not in it. Returns nothing where they share no workload.
  std::optional<Estimate> slowdown(const std::string& a, const std::string& b) const {
    std::vector<Estimate> ratios;
    const OfSolution& others = solutions_.at(b);
    for (const auto& [place, result] : solutions_.at(a)) {
      const auto other = others.find(place);
      if (other != others.end() && result->speed && other->second->speed)
        ratios.push_back(*other->second->speed - *result->speed);
    }
    return mean_of(ratios);
  }

 private:
  // The solution of that name, or an author's only one.
  const OfSolution* find_baseline() const {
    if (rule_.baseline.empty()) return nullptr;
    const auto named = solutions_.find(rule_.baseline);
    if (named != solutions_.end()) return &named->second;
    const OfSolution* found = nullptr;
    for (const auto& [name, results] : solutions_) {
      if (author_of_(name) != rule_.baseline) continue;
      if (found != nullptr) return nullptr;
      found = &results;
    }
    return found;
  }

  void note_speed(const Place& place, const Result& result) {
    const auto [best, is_new] = fastest_.try_emplace(place, &result);
    if (!is_new && result.speed->value < best->second->speed->value) best->second = &result;
  }

  std::optional<Estimate> speedup_of(const Place& place, const Result& result) const {
    if (!result.speed) return std::nullopt;
    if (rule_.baseline.empty()) return result.speedup;
    if (baseline_ == nullptr) return std::nullopt;
    const auto found = baseline_->find(place);
    if (found == baseline_->end()) return std::nullopt;
    if (found->second == &result) return Estimate{0, Interval{0, 0}};
    if (!found->second->speed) return std::nullopt;
    return *found->second->speed - *result.speed;
  }

  bool is_unbeaten(const Place& place, const Result& result) const {
    if (!result.speed) return false;
    return may_be_none(*result.speed - *fastest_.at(place)->speed);
  }

  const OfDefinition& solutions_;
  const AuthorOf& author_of_;
  const LeaderboardRule& rule_;
  const OfSolution* baseline_;
  std::set<Place> places_;
  std::map<Place, const Result*> fastest_;
};

bool is_ahead(const Standing& a, const Standing& b) {
  const double passed_a = share(a.passed, a.tried);
  const double passed_b = share(b.passed, b.tried);
  if (passed_a != passed_b) return passed_a > passed_b;
  if (a.behind.has_value() != b.behind.has_value()) return a.behind.has_value();
  if (a.behind && *a.behind != *b.behind) return *a.behind < *b.behind;
  if (a.speedup.has_value() != b.speedup.has_value()) return a.speedup.has_value();
  if (a.speedup && a.speedup->value != b.speedup->value) return a.speedup->value > b.speedup->value;
  return a.name < b.name;
}

// Returns the slowdown between two authors; its interval contains 0 where theirs touch.
std::optional<Estimate> slowdown_by_speedups(const Standing& a, const Standing& b) {
  if (!a.speedup || !b.speedup) return std::nullopt;
  return *a.speedup - *b.speedup;
}

// A standing that is not told apart from the first of a rank has that rank. `slowdown` is that of
// its second argument beside the first.
template <class Slowdown>
void rank(std::vector<Standing>& standings, const Slowdown& slowdown) {
  std::sort(standings.begin(), standings.end(), &is_ahead);
  std::size_t first = 0;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& a = standings[first];
    const Standing& b = standings[i];
    const std::optional<Estimate> slower = slowdown(a, b);
    const bool is_level = share(a.passed, a.tried) == share(b.passed, b.tried) &&
                          (slower ? may_be_none(*slower) : !a.speedup && !b.speedup);
    if (i > 0 && !is_level) first = i;
    standings[i].rank = first + 1;
  }
}

std::vector<Standing> standings_of(const OfDefinition& solutions, const AuthorOf& author_of,
                                   const LeaderboardRule& rule) {
  const Field field(solutions, author_of, rule);
  std::vector<Standing> standings;
  for (const auto& [name, results] : solutions) standings.push_back(field.standing(name));
  rank(standings,
       [&field](const Standing& a, const Standing& b) { return field.slowdown(a.name, b.name); });
  return standings;
}

// Puts an author's best solution of each definition together; all definitions weigh alike.
// `everybody` is what all authors together tried.
Standing together(const std::string& author, const std::vector<const Standing*>& best,
                  const std::vector<std::vector<Standing>>& everybody) {
  Standing all{author, author, best.size() == 1 ? best.front()->solution : ""};
  all.definitions = best.size();
  all.definitions_of = everybody.size();
  for (const auto& of_definition : everybody) all.workloads += of_definition.front().workloads;
  all.fast.assign(best.front()->fast.size(), {});
  std::vector<Estimate> speedups;
  const auto count = static_cast<double>(best.size());
  double told = 0;  // definitions among these with a workload that is decided
  for (const Standing* one : best) {
    all.tried += one->tried;
    all.passed += one->passed;
    all.undecided += one->undecided;
    all.wins += one->wins / count;
    const bool is_told = !one->fast.empty() && !std::isnan(one->fast.front().low);
    told += is_told ? 1 : 0;
    for (std::size_t i = 0; is_told && i < all.fast.size(); ++i) {
      all.fast[i].low += one->fast[i].low;
      all.fast[i].high += one->fast[i].high;
    }
    if (one->speedup) speedups.push_back(*one->speedup);
  }
  for (Interval& fast : all.fast) {  // NaN where nothing is decided
    fast.low /= told;
    fast.high /= told;
  }
  all.speedup = mean_of(speedups);
  return all;
}

Board board_of_authors(std::string_view hardware, const OfHardware& definitions,
                       const AuthorOf& author_of, const LeaderboardRule& rule) {
  std::vector<std::vector<Standing>> all;  // owner of what the pointers are to
  std::map<std::string, std::vector<const Standing*>> best;
  for (const auto& [definition, solutions] : definitions)
    all.push_back(standings_of(solutions, author_of, rule));
  for (const std::vector<Standing>& standings : all) {
    std::set<std::string> seen;
    for (const Standing& standing : standings)
      if (seen.insert(standing.author).second) best[standing.author].push_back(&standing);
  }
  Board board{std::string(hardware), "", {}};
  for (const auto& [author, ones] : best) board.standings.push_back(together(author, ones, all));
  rank(board.standings, &slowdown_by_speedups);
  return board;
}

Board board_of_definitions(std::string_view hardware, const OfHardware& definitions,
                           const AuthorOf& author_of, const LeaderboardRule& rule) {
  Board board{std::string(hardware), "", {}};
  for (const auto& [definition, solutions] : definitions) {
    Standing best = standings_of(solutions, author_of, rule).front();
    best.name = definition;
    board.standings.push_back(std::move(best));
  }
  return board;
}

}  // namespace

std::vector<Board> leaderboard(const std::vector<Result>& results, const AuthorOf& author_of,
                               const LeaderboardRule& rule) {
  std::vector<Board> boards;
  for (const auto& [hardware, definitions] : group(results)) {
    if (rule.by == RankBy::author) {
      boards.push_back(board_of_authors(hardware, definitions, author_of, rule));
    } else if (rule.by == RankBy::definition) {
      boards.push_back(board_of_definitions(hardware, definitions, author_of, rule));
    } else {
      for (const auto& [definition, solutions] : definitions)
        boards.push_back({std::string(hardware), std::string(definition),
                          standings_of(solutions, author_of, rule)});
    }
  }
  return boards;
}

}  // namespace kbench
