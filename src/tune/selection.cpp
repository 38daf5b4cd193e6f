#include "tune/selection.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "tune/key.hpp"
#include "tune/make_space.hpp"

namespace kbench {
namespace {

constexpr std::pair<std::string_view, SelectionPolicy> policies[] = {
    {"tuned", SelectionPolicy::tuned},
    {"autotune", SelectionPolicy::autotune},
    {"heuristic", SelectionPolicy::heuristic},
    {"require", SelectionPolicy::require}};

std::string_view name_of(SelectionPolicy policy) {
  return policies[static_cast<std::size_t>(policy)].first;
}

// Returns the lengths for which it was tuned, where these are others: "M=64".
std::string borrowed(const TunedEntry& entry, const CallFacts& facts) {
  std::vector<std::string> out;
  for (const auto& [name, length] : entry.measured_at) {
    const Number* const here = facts.find(name);
    if (here != nullptr && *here != length) out.push_back(fmt::format("{}={}", name, length));
  }
  return join(out, ",");
}

// Says which condition leaves no configuration for these axes, with its place.
std::string why_none(const SelectionRequest& request) {
  constexpr double most_combinations = 1 << 20;  // more of them take long to be gone through
  double combinations = 1;
  for (const Parameter& parameter : request.tunables.parameters)
    combinations *= static_cast<double>(parameter.values.size());
  Diagnostics flaws;
  constexpr int most_looks = 1024;  // ~1 s
  int looks = 0;
  const SpaceWatch watch = [&looks](double) { return ++looks > most_looks; };
  if (combinations <= most_combinations) make_space(request.tunables, request.facts, flaws, watch);
  if (looks > most_looks || (flaws.empty() && !request.tunables.parameters.empty()))
    return fmt::format(
        "none of the first configurations fulfils the conditions for these axes "
        "({} checks of {} bytes): a row under heuristic may name one",
        most_checks_of_conditions, bytes_of_a_check);
  if (flaws.empty()) return "no configuration fulfils the conditions for these axes";
  const Diagnostic& flaw = flaws.items().front();
  const std::string place = short_place(flaw.where);
  return place.empty() ? flaw.message : fmt::format("{} ({})", flaw.message, place);
}

using SelectionAnswer = std::variant<Selected, NoConfiguration>;

}  // namespace

std::optional<SelectionPolicy> find_policy(std::string_view word) {
  for (const auto& [name, policy] : policies) {
    if (name == word) return policy;
  }
  return std::nullopt;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& [name, policy] : policies) names.emplace_back(name);
  return names;
}

// Steps of one request. A step that has an answer ends it; one that has none says why.
class Selector::Search {
 public:
  Search(Selector& selector, const SelectionRequest& request)
      : selector_(selector), request_(request), key_(short_key(request.key)) {}

  SelectionAnswer run() {
    using Step = std::optional<SelectionAnswer> (Search::*)();
    constexpr Step steps[] = {&Search::from_user,       &Search::from_overlays,
                              &Search::from_memory,     &Search::from_store,
                              &Search::from_autotuning, &Search::from_heuristic};
    for (const Step step : steps) {
      auto answer = (this->*step)();
      if (!answer) continue;
      if (auto* const selected = std::get_if<Selected>(&*answer))
        selected->tried = std::move(tried_);
      return *std::move(answer);
    }
    const TuningKey& key = request_.key;
    const std::string message =
        fmt::format("NO_CONFIG: there is no configuration of {} for {}{}{}{}", key.solution,
                    key.definition, key.direction == "fwd" ? "" : ", " + key.direction,
                    key.objective == "time" ? "" : ", objective " + key.objective,
                    forbidden_.empty() ? "" : ": " + forbidden_);
    return failed({message, std::move(tried_)});
  }

 private:
  std::optional<SelectionAnswer> from_user() {
    if (!request_.chosen) return none("--cfg was not given");
    return stated(*request_.chosen, "override", request_.chosen_by);
  }

  std::optional<SelectionAnswer> from_overlays() {
    const TuningKey& key = request_.key;
    const OverlayQuery query{key.definition, key.solution,   key.direction,      key.context,
                             key.objective,  request_.facts, key.solution_digest};
    for (auto overlay = selector_.overlays_.rbegin(); overlay != selector_.overlays_.rend();
         ++overlay) {
      if (const OverlayRow* const row = find_row(*overlay, query))
        return stated(row->configuration, "overlay", place_of(*overlay, *row));
    }
    OverlayQuery of_any_source = query;
    of_any_source.solution_digest = "";
    for (const Overlay& overlay : selector_.overlays_) {
      if (const OverlayRow* const row = find_row(overlay, of_any_source))
        return none(fmt::format("{} was tuned with other sources, flags, parameters or entry",
                                place_of(overlay, *row)));
    }
    const std::size_t number = selector_.overlays_.size();
    return none(number == 0 ? "there is no overlay"
                            : fmt::format("{} for this call nothing",
                                          number == 1 ? "the overlay has" : "the overlays have"));
  }

  std::optional<SelectionAnswer> from_memory() {
    if (!reads_tuned()) return std::nullopt;
    for (const std::string& key : {here(), key_}) {
      const auto known = selector_.memory_.find(key);
      if (known != selector_.memory_.end() && fits(known->second))
        return tuned(known->second, "memory");
    }
    return std::nullopt;  // reported by the store's step
  }

  std::optional<SelectionAnswer> from_store() {
    if (is_heuristic_alone()) return std::nullopt;
    if (!reads_tuned())
      return none(fmt::format("what was tuned does not count: the policy is {}",
                              name_of(selector_.policy_)));
    if (selector_.store_ == nullptr) return none("there is no store");
    if (const auto entry = selector_.store_->find(request_.key)) {
      if (auto answer = stored(*entry)) return answer;
    } else {
      none(fmt::format("nothing was tuned for it: the store has no {}", key_));
    }
    if (!request_.alone) return std::nullopt;
    if (const auto entry = selector_.store_->find(*request_.alone)) return tuned(*entry, "store");
    return none(fmt::format("nor for the call by itself: {}", short_key(*request_.alone)));
  }

  std::optional<SelectionAnswer> stored(const TunedEntry& entry) {
    const std::string text = configuration_text(entry.configuration);
    if (is_provisional(entry) && selector_.policy_ == SelectionPolicy::autotune &&
        selector_.autotune_)
      return none(fmt::format("the search that found {} was cut short", text));
    auto answer = tuned(entry, "store");
    if (answer)
      selector_.memory_[key_] = entry;
    else
      unfit_ = text;
    return answer;
  }

  std::optional<SelectionAnswer> from_autotuning() {
    if (is_heuristic_alone()) return std::nullopt;
    if (selector_.policy_ == SelectionPolicy::autotune && !selector_.autotune_)
      return none("it is not tuned now: this command tunes nothing");
    if (selector_.policy_ != SelectionPolicy::autotune)
      return none(fmt::format("it is not tuned now: the policy is {}", name_of(selector_.policy_)));
    if (const auto known = selector_.failures_.find(key_); known != selector_.failures_.end())
      return none("tuning has failed before");
    const std::size_t before = tried_.size();
    const std::string seen = unfit_;
    Fd lock = lock_store();
    if (lock && seen.empty()) {  // another process may have tuned it during the wait
      if (const auto entry = selector_.store_->find(request_.key)) {
        if (auto answer = stored(*entry)) return answer;
        tried_.resize(before);  // reason was given before
      }
    }
    return tune_now(static_cast<bool>(lock));
  }

  // Entries for other lengths of the bucket are better there, and stay.
  std::optional<SelectionAnswer> tune_now(bool is_locked) {
    say({.event = "autotune_start"});
    AutotuneResult result = selector_.autotune_(request_);
    if (!result.entry) {
      say({.event = "autotune_failed", .detail = join(result.failures, "; ")});
      selector_.failures_[key_] = std::move(result.failures);
      return none("of the configurations that were tried none can be used");
    }
    TunedEntry entry = *std::move(result.entry);
    entry.parts = request_.key;
    say({.event = "autotune_finish", .configuration = configuration_text(entry.configuration)});
    if (is_locked && unfit_.empty()) store(entry);
    if (!unfit_.empty())
      say({.event = "not_stored",
           .detail = fmt::format("{} stays, which was tuned for other lengths", unfit_)});
    selector_.memory_[unfit_.empty() ? key_ : here()] = entry;
    return selected(entry.configuration, "autotune", "tuned just now", entry);
  }

  std::optional<SelectionAnswer> from_heuristic() {
    if (selector_.policy_ == SelectionPolicy::require)
      return none("the heuristic does not count: the policy is require");
    for (std::string& row : skipped_rows(request_.tunables, request_.facts)) {
      say({.event = "unfit", .level = "heuristic", .detail = row});
      none(std::move(row));
    }
    const auto values = heuristic_configuration(request_.tunables, request_.facts);
    if (!values) {
      forbidden_ = why_none(request_);
      return none(forbidden_);
    }
    say({.event = "heuristics", .configuration = configuration_text(*values)});
    Selected out;
    out.record.values = *values;
    out.record.source = "heuristic";
    out.from = "the heuristic";
    if (const auto known = selector_.failures_.find(key_); known != selector_.failures_.end())
      out.failures = known->second;
    return out;
  }

  // Configurations that the user states are used, or none: another's times would pass for theirs.
  SelectionAnswer stated(const Configuration& values, const std::string& source,
                         const std::string& place) {
    const std::string text = values.empty() ? "{}" : configuration_text(values);
    if (const std::string wrong = unfit(values, request_.tunables, request_.facts); !wrong.empty())
      return failed({fmt::format("{}: {} is no configuration of {}: {}", place, text,
                                 request_.key.solution, wrong),
                     {},
                     true});
    say({.event = source == "overlay" ? "overlay_hit" : source,
         .configuration = text,
         .detail = source == "overlay" ? place : ""});
    Selected out;
    out.record.values = values;
    out.record.source = source;
    out.from = place;
    return out;
  }

  // Takes a tuned entry's configuration, if it fits: a neighbour's in the same bucket need not fit
  // these lengths.
  std::optional<SelectionAnswer> tuned(const TunedEntry& entry, const std::string& level) {
    const std::string text = configuration_text(entry.configuration);
    const std::string wrong = unfit(entry.configuration, request_.tunables, request_.facts);
    const std::string from = borrowed(entry, request_.facts);
    if (!wrong.empty()) {
      say({.event = "unfit", .level = level, .configuration = text, .detail = wrong});
      return none(fmt::format("{} was tuned for {}, and does not fit here: {}", text, from, wrong));
    }
    say({.event = "cache_hit",
         .level = level,
         .configuration = text,
         .detail = from.empty() ? "" : "tuned for " + from});
    return selected(entry.configuration, level, fmt::format("tuned {}", entry.date), entry);
  }

  Selected selected(const Configuration& values, const std::string& source, std::string from,
                    const TunedEntry& entry) const {
    Selected out;
    out.record.values = values;
    out.record.source = source;
    out.record.key = short_key(entry.parts);
    out.from = std::move(from);
    if (std::string other = borrowed(entry, request_.facts); !other.empty())
      out.record.borrowed = std::move(other);
    return out;
  }

  // Returns no lock where there is no store, or it cannot be written: the tuned configuration is
  // then used, and forgotten with this process.
  Fd lock_store() {
    if (selector_.store_ == nullptr) return Fd();
    try {
      return selector_.store_->lock(request_.key, [this] { say({.event = "autotune_wait"}); });
    } catch (const std::system_error& error) {
      say({.event = "not_stored", .detail = error.what()});
      return Fd();
    }
  }

  void store(const TunedEntry& entry) {
    try {
      selector_.store_->put(entry);
    } catch (const std::system_error& error) {
      say({.event = "not_stored", .detail = error.what()});
    }
  }

  // Tells whether nobody chose the policy: a search wants a configuration to begin with.
  bool is_heuristic_alone() const {
    return selector_.policy_ == SelectionPolicy::heuristic && selector_.store_ == nullptr;
  }
  // Returns the key of this call alone, where others have configurations that do not fit here.
  std::string here() const {
    std::string out = key_;
    for (const auto& [name, fact] : request_.facts) out += " " + name + "=" + number_text(fact);
    return out;
  }
  bool fits(const TunedEntry& entry) const {
    return unfit(entry.configuration, request_.tunables, request_.facts).empty();
  }

  bool reads_tuned() const { return selector_.policy_ != SelectionPolicy::heuristic; }

  std::optional<SelectionAnswer> none(std::string why) {
    tried_.push_back(std::move(why));
    return std::nullopt;
  }

  NoConfiguration failed(NoConfiguration why) {
    say({.event = "error",
         .detail = why.tried.empty() ? why.message : why.message + ": " + join(why.tried, "; ")});
    return why;
  }

  void say(SelectionEvent event) const {
    if (!selector_.events_) return;
    event.definition = request_.key.definition;
    event.solution = request_.key.solution;
    event.key = key_;
    if (request_.key.direction != "fwd") event.direction = request_.key.direction;
    if (request_.key.objective != "time") event.objective = request_.key.objective;
    selector_.events_(event);
  }

  Selector& selector_;
  const SelectionRequest& request_;
  std::string key_;
  std::vector<std::string> tried_;
  std::string forbidden_;  // condition that leaves no configuration
  std::string unfit_;      // configuration in the store for other lengths, under the same key
};

Selector::Selector(SelectionPolicy policy, const TunedStore* store, Autotune autotune,
                   SelectionEvents events)
    : policy_(policy), store_(store), autotune_(std::move(autotune)), events_(std::move(events)) {}

std::variant<Selected, NoConfiguration> Selector::select(const SelectionRequest& request) {
  return Search(*this, request).run();
}

std::string event_line(const SelectionEvent& event) {
  nlohmann::ordered_json line{{"event", event.event}};
  const std::pair<const char*, const std::string&> rest[] = {{"level", event.level},
                                                             {"definition", event.definition},
                                                             {"solution", event.solution},
                                                             {"key", event.key},
                                                             {"direction", event.direction},
                                                             {"objective", event.objective},
                                                             {"configuration", event.configuration},
                                                             {"detail", event.detail}};
  for (const auto& [name, text] : rest) {
    if (!text.empty()) line[name] = text;
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace kbench
