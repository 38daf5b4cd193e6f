// Selection of the configuration with which a Solution is built and called: the first that there is
// from the user (--cfg), overlay files, tuning in this process, the store, tuning now, the
// heuristic. docs/tuned-store.md
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/registry/tunables.hpp"
#include "schema/configuration.hpp"
#include "tune/overlay.hpp"
#include "tune/store.hpp"

namespace kbench {

// Event while a configuration is chosen: of --events, a line of JSON each.

// Words of `event` are ejkernel's where it has them (its ops/core): "override", "overlay_hit",
// "cache_hit", "autotune_start", "autotune_finish", "heuristics", "error". Those of kbench alone
// are "autotune_wait", "autotune_failed", "not_stored", "unfit".
struct SelectionEvent {
  std::string event;
  std::string definition, solution, key;
  std::string level;          // "memory" or "store"; of unfit "heuristic", too
  std::string configuration;  // "BLOCK=128,VEC=4"
  std::string detail;         // place it comes from, or reason why not
  std::string direction;      // "bwd" or "fwd+bwd"; "": forward
  std::string objective;      // "cold"; "": time
};

using SelectionEvents = std::function<void(const SelectionEvent& event)>;

// Writes it on one line, with its line break; empty members are left out.
std::string event_line(const SelectionEvent& event);

// Limit to the steps down that list.
enum class SelectionPolicy {
  tuned,      // tuned ones, else the heuristic
  autotune,   // untuned calls are tuned now
  heuristic,  // tuned ones do not count
  require,    // tuned ones, or nothing
};
std::optional<SelectionPolicy> find_policy(std::string_view word);
std::vector<std::string> policy_names();

struct SelectionRequest {
  const Tunables& tunables;
  TuningKey key;
  CallFacts facts;                                     // facts of the call: its axes, and others
  std::optional<Configuration> chosen = std::nullopt;  // configuration stated by the user
  // Key of the same call by itself, where it is that of one of several ranks: tuning of that serves
  // as well.
  std::optional<TuningKey> alone = std::nullopt;
  std::string chosen_by = "--cfg";  // source of `chosen`
};

struct AutotuneResult {
  std::optional<TunedEntry> entry;    // nullopt: no configuration can be used
  std::vector<std::string> failures;  // reasons against each: "BLOCK=64: INCORRECT_NUMERICAL"
};
using Autotune = std::function<AutotuneResult(const SelectionRequest& request)>;

struct Selected {
  ConfigurationRecord record;           // values, source, key, borrowed
  std::string from;                     // source for people: "the store, tuned 2026-11-24"
  std::vector<std::string> failures;    // reasons why tuning failed, so that the heuristic serves
  std::vector<std::string> tried = {};  // steps before it, and why they gave none
};

struct NoConfiguration {
  std::string message;             // a line
  std::vector<std::string> tried;  // steps that there were, and why they gave none
  bool is_input = false;           // user's statement is wrong: no configuration fits it
};

// Selector for one thread at a time, which remembers its choices as long as it lives.
class Selector {
 public:
  // Keeps nothing without a `store`; `autotune` is for the policy of that name alone.
  Selector(SelectionPolicy policy, const TunedStore* store, Autotune autotune = {},
           SelectionEvents events = {});

  // Adds an overlay; later ones count before earlier ones.
  void push_overlay(Overlay overlay) { overlays_.push_back(std::move(overlay)); }
  void pop_overlay() { overlays_.pop_back(); }

  std::variant<Selected, NoConfiguration> select(const SelectionRequest& request);
  // Forgets what was found, not what is stored.
  void forget() { memory_.clear(); }

 private:
  class Search;

  SelectionPolicy policy_;
  const TunedStore* store_;
  Autotune autotune_;
  SelectionEvents events_;
  std::vector<Overlay> overlays_;
  std::map<std::string, TunedEntry> memory_;                  // tuned entries by key
  std::map<std::string, std::vector<std::string>> failures_;  // reasons why tuning failed, by key
};

}  // namespace kbench
