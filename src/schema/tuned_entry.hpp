// What a store of tuned configurations keeps, and what overlay files say: docs/tuned-store.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/field.hpp"
#include "schema/ordered_map.hpp"
#include "schema/raw_json.hpp"

namespace kbench {

// What a configuration is for: run, vjp, or fwd_with_residuals and vjp together.
inline const std::vector<std::string> direction_names = {"fwd", "bwd", "fwd+bwd"};
inline const std::vector<std::string> objective_names = {"time", "cold"};

// A kernel that is one of several.
struct ShardPart {
  std::string axis;
  std::int64_t count = 1;
  FieldSet present{};
};

// All that the choice of a configuration rests on, in clear: where a part is another, another
// configuration may be the best. Values of tensors are no part.
struct TuningKey {
  std::string definition;
  std::string definition_digest;  // SHA-256 of what it computes
  std::string solution;
  std::string solution_digest;  // SHA-256 of sources, flags and declared parameters
  std::string version = "0";    // as its author counts
  std::string method = "run";
  std::string context;  // "sharded", or "" for a kernel by itself
  std::string direction = "fwd";
  std::string objective = "time";
  std::optional<ShardPart> shard;
  OrderedMap<std::int64_t> axes;     // that workloads set, without the axes of buckets
  OrderedMap<std::string> buckets;   // "33..64"
  OrderedMap<std::string> dtypes;    // of inputs and outputs
  std::string strides;               // class of the tensors' layout
  OrderedMap<std::string> scalars;   // the value of a specialised scalar, the type of any other
  OrderedMap<std::string> machine;   // what of it decides about times
  OrderedMap<std::string> compiled;  // compiler and flags; empty where nothing is compiled
  std::optional<OrderedMap<std::string>>
      declared;  // conditions that the Solution adds: their truth
  FieldSet present{};
};

// A configuration that a search tried.
struct TunedCandidate {
  Configuration configuration;
  std::string status;  // "PASSED", or why it is out of the race
  std::optional<std::string> cause;
  std::optional<double> median_ns;
  std::optional<double> p10_ns;
  std::optional<std::int64_t> samples;
  std::optional<double> ratio;  // of its time to the heuristic's, paired
  FieldSet present{};
};

// How the configuration compares with that of the heuristic.
enum class Decision { beaten, tied, only };

constexpr std::string_view tuned_schema = "kbench.tuned/1";
constexpr std::string_view overlay_schema = "kbench.overlay/1";

struct TunedEntry {
  std::string schema{tuned_schema};
  std::string key;  // 16 hexadecimal digits of `parts`
  TuningKey parts;
  Configuration configuration;
  OrderedMap<std::int64_t> measured_at;  // all axes
  std::string workload;                  // uuid
  Decision decided = Decision::only;
  std::optional<TunedCandidate> heuristic;
  std::vector<TunedCandidate> candidates;
  std::string strategy;
  std::string seed;    // decimal
  std::string date;    // local time, ISO 8601
  std::string kbench;  // version
  // For a search that was ended before it had tried all it wanted: "budget" or "stopped", and how
  // many configurations there were. Nothing where it came to its own end.
  std::optional<std::string> cut_short;
  std::optional<std::int64_t> space;
  OrderedMap<std::string> state;  // of the machine, no part of the key: governor, load
  std::string digest;             // of all the rest
  FieldSet present{};
};

// Whether the search was cut short before anything was compared: whoever tunes searches again then,
// as that may find better configurations.
inline bool is_provisional(const TunedEntry& entry) {
  return entry.cut_short && entry.decided == Decision::only;
}

// A configuration for the calls that it fits.
struct OverlayRow {
  std::string definition;
  std::string solution;
  std::optional<std::string> direction;           // nothing: every one
  std::optional<std::string> context;             // nothing: every one
  std::optional<std::string> objective;           // nothing: every one
  std::optional<OrderedMap<std::int64_t>> axes;   // the lengths of a call
  std::optional<std::vector<std::string>> where;  // and where these conditions hold
  Configuration configuration;
  std::optional<RawJson> provenance;  // entry of the store, where it was exported
  FieldSet present{};
};

struct OverlayFile {
  std::string schema;
  std::vector<OverlayRow> configurations;
  FieldSet present{};
};

// kbench's own: no other program has keys for them.
constexpr bool is_own(const TuningKey*) { return true; }
constexpr bool is_own(const TunedEntry*) { return true; }
constexpr bool is_own(const OverlayRow*) { return true; }
constexpr bool is_own(const OverlayFile*) { return true; }

}  // namespace kbench
