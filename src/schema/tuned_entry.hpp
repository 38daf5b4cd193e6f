// Store of tuned configurations, and overlay files: docs/tuned-store.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

// Uses of a configuration: run, vjp, or fwd_with_residuals and vjp together.
inline const std::vector<std::string> direction_names = {"fwd", "bwd", "fwd+bwd"};
inline const std::vector<std::string> objective_names = {"time", "cold"};

// Kernel that is one of several.
struct ShardPart {
  std::string axis;
  std::int64_t count = 1;
  FieldSet present{};
};

// Inputs to the choice of a configuration, all in clear: where a part is another, another
// configuration may be the best. Values of tensors are no part.
struct TuningKey {
  std::string definition;
  std::string definition_digest;  // SHA-256 of its computation
  std::string solution;
  std::string solution_digest;  // SHA-256 of sources, flags and declared parameters
  std::string version = "0";    // its author's count
  std::string method = "run";
  std::string context;  // "sharded", or "" for a kernel by itself
  std::string direction = "fwd";
  std::string objective = "time";
  std::optional<ShardPart> shard;
  OrderedMap<std::int64_t> axes;     // lengths that workloads set, without the axes of buckets
  OrderedMap<std::string> buckets;   // "33..64"
  OrderedMap<std::string> dtypes;    // dtypes of inputs and outputs
  std::string strides;               // class of the tensors' layout
  OrderedMap<std::string> scalars;   // value of a specialised scalar, type of any other
  OrderedMap<std::string> machine;   // properties that decide about times
  OrderedMap<std::string> compiled;  // compiler and flags; empty where nothing is compiled
  std::optional<OrderedMap<std::string>>
      declared;  // conditions that the Solution adds: their truth
  FieldSet present{};
};

// Configuration that a search tried.
struct TunedCandidate {
  Configuration configuration;
  std::string status;  // "PASSED", or the reason to leave the race
  std::optional<std::string> cause;
  std::optional<double> median_ns;
  std::optional<double> p10_ns;
  std::optional<std::int64_t> samples;
  std::optional<double> ratio;  // time / the heuristic's time, paired
  FieldSet present{};
};

// Comparison of the configuration with that of the heuristic.
enum class Decision { beaten, tied, only };

constexpr std::string_view tuned_schema = "kbench.tuned/1";
constexpr std::string_view overlay_schema = "kbench.overlay/1";

struct TunedEntry {
  std::string schema{tuned_schema};
  std::string key;  // 16 hexadecimal digits of `parts`
  TuningKey parts;
  Configuration configuration;
  OrderedMap<std::int64_t> measured_at;  // lengths of all axes
  std::string workload;                  // uuid
  Decision decided = Decision::only;
  std::optional<TunedCandidate> heuristic;
  std::vector<TunedCandidate> candidates;
  std::string strategy;
  std::string seed;    // decimal
  std::string date;    // local time, ISO 8601
  std::string kbench;  // version
  // End of a search before it had tried all it wanted: "budget" or "stopped", and how many
  // configurations there were. Nothing where it came to its own end.
  std::optional<std::string> cut_short;
  std::optional<std::int64_t> space;
  OrderedMap<std::string> state;  // the machine's, no part of the key: governor, load
  std::string digest;             // digest of all the rest
  FieldSet present{};
};

// Tells whether the search was cut short before anything was compared: the next tuning searches
// again then, as that may find better configurations.
inline bool is_provisional(const TunedEntry& entry) {
  return entry.cut_short && entry.decided == Decision::only;
}

// Configuration for the calls that it fits.
struct OverlayRow {
  std::string definition;
  std::string solution;
  std::optional<std::string> direction;           // nothing: every one
  std::optional<std::string> context;             // nothing: every one
  std::optional<std::string> objective;           // nothing: every one
  std::optional<OrderedMap<std::int64_t>> axes;   // lengths of a call
  std::optional<std::vector<std::string>> where;  // conditions that must hold as well
  Configuration configuration;
  std::optional<RawJson> provenance;  // entry of the store, if it was exported
  FieldSet present{};
};

struct OverlayFile {
  std::string schema;
  std::vector<OverlayRow> configurations;
  FieldSet present{};
};

// Types of kbench's own: no other program has keys for them.
constexpr bool is_own(const TuningKey*) { return true; }
constexpr bool is_own(const TunedEntry*) { return true; }
constexpr bool is_own(const OverlayRow*) { return true; }
constexpr bool is_own(const OverlayFile*) { return true; }

constexpr auto fields(const ShardPart*) {
  return std::tuple{
      Field{"axis", &ShardPart::axis, Need::required, Rule::non_empty, "That is split."},
      Field{"count", &ShardPart::count, Need::required, Rule::positive, "Number of parts."}};
}

constexpr auto fields(const TuningKey*) {
  return std::tuple{
      Field{"definition", &TuningKey::definition, Need::required, Rule::text, "Its name."},
      Field{"definition_digest", &TuningKey::definition_digest, Need::required, Rule::non_empty,
            "SHA-256 of the definition but for descriptions and tags."},
      Field{"solution", &TuningKey::solution, Need::required, Rule::text, "Its name."},
      Field{"solution_digest", &TuningKey::solution_digest, Need::required, Rule::non_empty,
            "SHA-256 of sources, flags and declared parameters."},
      Field{"version", &TuningKey::version, Need::required, Rule::any,
            "Of the solution, as its author counts."},
      Field{"method", &TuningKey::method, Need::required, Rule::non_empty,
            "\"run\", or another function of the solution."},
      Field{"context", &TuningKey::context, Need::required, Rule::any,
            "\"sharded\", or \"\" for a kernel by itself."},
      Field{"direction", &TuningKey::direction, Need::required, Rule::non_empty,
            "\"fwd\", \"bwd\" or \"fwd+bwd\"."},
      Field{"objective", &TuningKey::objective, Need::required, Rule::non_empty,
            "What is to be least: \"time\" or \"cold\"."},
      Field{"shard", &TuningKey::shard, Need::optional, Rule::any,
            "Of a kernel that is one of several."},
      Field{"axes", &TuningKey::axes, Need::required, Rule::non_negative,
            "Lengths of the axes that workloads set, but for those of buckets."},
      Field{"buckets", &TuningKey::buckets, Need::required, Rule::any,
            "Lengths that share a configuration: \"33..64\"."},
      Field{"dtypes", &TuningKey::dtypes, Need::required, Rule::any, "Of inputs and outputs."},
      Field{"strides", &TuningKey::strides, Need::required, Rule::non_empty,
            "How tensors lie in memory."},
      Field{"scalars", &TuningKey::scalars, Need::required, Rule::any,
            "Of those that the solution specialises for the value, of others the type."},
      Field{"machine", &TuningKey::machine, Need::required, Rule::any,
            "What of the machine decides about times."},
      Field{"compiled", &TuningKey::compiled, Need::required, Rule::any,
            "The compiler as it calls itself, and its flags."},
      Field{"declared", &TuningKey::declared, Need::extension, Rule::any,
            "Conditions that the solution adds, and whether they hold."}};
}

constexpr auto fields(const TunedCandidate*) {
  return std::tuple{Field{"configuration", &TunedCandidate::configuration, Need::required,
                          Rule::any, "Values of the parameters."},
                    Field{"status", &TunedCandidate::status, Need::required, Rule::non_empty,
                          "\"PASSED\", or why it was not timed."},
                    Field{"cause", &TunedCandidate::cause, Need::extension, Rule::any, "Of that."},
                    Field{"median_ns", &TunedCandidate::median_ns, Need::extension,
                          Rule::non_negative, "Median time of a call, nanoseconds."},
                    Field{"p10_ns", &TunedCandidate::p10_ns, Need::extension, Rule::non_negative,
                          "10th percentile."},
                    Field{"samples", &TunedCandidate::samples, Need::extension, Rule::non_negative,
                          "Number of samples."},
                    Field{"ratio", &TunedCandidate::ratio, Need::extension, Rule::non_negative,
                          "Of its time to that of the heuristic, in turn with it."}};
}

constexpr auto fields(const TunedEntry*) {
  return std::tuple{
      Field{"schema", &TunedEntry::schema, Need::required, Rule::non_empty, "kbench.tuned/1"},
      Field{"key", &TunedEntry::key, Need::required, Rule::non_empty,
            "Begin of the SHA-256 of the parts."},
      Field{"parts", &TunedEntry::parts, Need::required, Rule::any, "What the choice rests on."},
      Field{"configuration", &TunedEntry::configuration, Need::required, Rule::any,
            "That was chosen."},
      Field{"measured_at", &TunedEntry::measured_at, Need::required, Rule::non_negative,
            "Lengths of all axes while it was tuned."},
      Field{"workload", &TunedEntry::workload, Need::required, Rule::any, "Its uuid."},
      Field{"decided", &TunedEntry::decided, Need::required, Rule::any,
            "\"beaten\": faster than the heuristic beyond noise; \"tied\": nothing was, so it is "
            "the heuristic's; \"only\": there was nothing to compare."},
      Field{"heuristic", &TunedEntry::heuristic, Need::extension, Rule::any,
            "What the heuristic chooses, and its times."},
      Field{"candidates", &TunedEntry::candidates, Need::required, Rule::any,
            "All that were tried."},
      Field{"strategy", &TunedEntry::strategy, Need::required, Rule::any, "Of the search."},
      Field{"seed", &TunedEntry::seed, Need::required, Rule::any, "Of the search, decimal."},
      Field{"date", &TunedEntry::date, Need::required, Rule::any, "Local time, ISO 8601."},
      Field{"kbench", &TunedEntry::kbench, Need::required, Rule::any, "Its version."},
      Field{"cut_short", &TunedEntry::cut_short, Need::extension, Rule::non_empty,
            "The search ended before it had tried all it wanted: \"budget\" or \"stopped\"."},
      Field{"space", &TunedEntry::space, Need::extension, Rule::non_negative,
            "Of such a search: how many configurations there were."},
      Field{"state", &TunedEntry::state, Need::required, Rule::any,
            "Of the machine, beside the key: governor, load."},
      Field{"digest", &TunedEntry::digest, Need::required, Rule::any,
            "SHA-256 of the entry without it."}};
}

constexpr auto fields(const OverlayRow*) {
  return std::tuple{
      Field{"definition", &OverlayRow::definition, Need::required, Rule::text, "Its name."},
      Field{"solution", &OverlayRow::solution, Need::required, Rule::text, "Its name."},
      Field{"direction", &OverlayRow::direction, Need::extension, Rule::non_empty,
            "\"fwd\", \"bwd\" or \"fwd+bwd\"; absent: every one."},
      Field{"context", &OverlayRow::context, Need::extension, Rule::any,
            "\"sharded\", or \"\" for a kernel by itself; absent: both."},
      Field{"objective", &OverlayRow::objective, Need::extension, Rule::non_empty,
            "\"time\" or \"cold\"; absent: both."},
      Field{"axes", &OverlayRow::axes, Need::extension, Rule::non_negative,
            "Lengths that the axes have."},
      Field{"where", &OverlayRow::where, Need::extension, Rule::text,
            "Conditions over the axes, Python expressions."},
      Field{"configuration", &OverlayRow::configuration, Need::required, Rule::any,
            "Values of the solution's parameters."},
      Field{"provenance", &OverlayRow::provenance, Need::extension, Rule::any,
            "Where it is from; of an export the entry of the store."}};
}

constexpr auto fields(const OverlayFile*) {
  return std::tuple{
      Field{"schema", &OverlayFile::schema, Need::required, Rule::non_empty, "kbench.overlay/1"},
      Field{"configurations", &OverlayFile::configurations, Need::required, Rule::any,
            "Of those that fit a call the last counts."}};
}

}  // namespace kbench
