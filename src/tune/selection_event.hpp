// What happens while a configuration is chosen: of --events, a line of JSON each.
#pragma once

#include <functional>
#include <string>

namespace kbench {

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

}  // namespace kbench
