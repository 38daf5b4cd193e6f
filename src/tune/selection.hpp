// Which configuration a Solution is built and called with: the first that there is of what the user
// says (--cfg), overlay files, what was tuned in this process, the store, tuning now, the
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

// What happens while a configuration is chosen: of --events, a line of JSON each.

// The words of `event` are ejkernel's where it has them (its ops/core): "override", "overlay_hit",
// "cache_hit", "autotune_start", "autotune_finish", "heuristics", "error". Ours: "autotune_wait",
// "autotune_failed", "not_stored", "unfit".
struct SelectionEvent {
  std::string event;
  std::string definition, solution, key;
  std::string level;          // for cache_hit: "memory" or "store"
  std::string configuration;  // "BLOCK=128,VEC=4"
  std::string detail;         // where from, or why not
  std::string direction;      // "bwd" or "fwd+bwd"; "": forward
  std::string objective;      // "cold"; "": time
};

using SelectionEvents = std::function<void(const SelectionEvent& event)>;

// On one line, with its line break; what is "" is left out.
std::string event_line(const SelectionEvent& event);

// How far down that list it may go.
enum class SelectionPolicy {
  tuned,      // what was tuned, else the heuristic
  autotune,   // what was not tuned is tuned now
  heuristic,  // whatever was tuned does not count
  require,    // what was tuned, or nothing
};
std::optional<SelectionPolicy> find_policy(std::string_view word);
std::vector<std::string> policy_names();

struct SelectionRequest {
  const Tunables& tunables;
  TuningKey key;
  CallFacts facts;  // of the call: its axes, and what else it has
  std::optional<Configuration> chosen = std::nullopt;  // by the user
  // The key of the same call by itself, where it is that of one of several ranks: what was tuned
  // for it serves as well.
  std::optional<TuningKey> alone = std::nullopt;
  std::string chosen_by = "--cfg";  // who says `chosen`
};

struct AutotuneResult {
  std::optional<TunedEntry> entry;    // nothing: no configuration can be used
  std::vector<std::string> failures;  // what kept them from it: "BLOCK=64: INCORRECT_NUMERICAL"
};
using Autotune = std::function<AutotuneResult(const SelectionRequest& request)>;

struct Selected {
  ConfigurationRecord record;           // values, source, key, borrowed
  std::string from;                     // for people: "the store, tuned 2026-11-24"
  std::vector<std::string> failures;    // why tuning failed, where the heuristic serves instead
  std::vector<std::string> tried = {};  // what comes before it, and why it was not that
};

struct NoConfiguration {
  std::string message;             // a line
  std::vector<std::string> tried;  // what there was to try, and why it was not that
  bool is_input = false;           // what the user has said is wrong: no configuration fits it
};

// Remembers what it found as long as it lives. Not for several threads at a time.
class Selector {
 public:
  // Without a `store` nothing is kept; `autotune` is for the policy of that name alone.
  Selector(SelectionPolicy policy, const TunedStore* store, Autotune autotune = {},
           SelectionEvents events = {});

  // Adds an overlay; later ones count before earlier ones.
  void push_overlay(Overlay overlay) { overlays_.push_back(std::move(overlay)); }
  void pop_overlay() { overlays_.pop_back(); }

  std::variant<Selected, NoConfiguration> select(const SelectionRequest& request);
  // What was found, not what is stored.
  void forget() { memory_.clear(); }

 private:
  class Search;

  SelectionPolicy policy_;
  const TunedStore* store_;
  Autotune autotune_;
  SelectionEvents events_;
  std::vector<Overlay> overlays_;
  std::map<std::string, TunedEntry> memory_;                  // by key; only what was tuned
  std::map<std::string, std::vector<std::string>> failures_;  // by key; why tuning failed
};

}  // namespace kbench
