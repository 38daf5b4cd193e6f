// The tables of fields of what tuned_entry.hpp declares.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

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
