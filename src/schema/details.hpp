// kbench's own part of a Trace: how a verdict came about, how it was timed, what it rests on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/boxed.hpp"
#include "schema/compiled.hpp"
#include "schema/configuration.hpp"
#include "schema/detail_records.hpp"
#include "schema/field.hpp"
#include "schema/judge_settings.hpp"
#include "schema/ordered_map.hpp"
#include "schema/raw_json.hpp"

namespace kbench {

// What a call could take at best on this machine: docs/roofline.md. Nanoseconds.
struct Roofline {
  double bound_ns = 0;
  std::string bound_by;  // "memory", or the arithmetic: "float32", "16 bits", "8 bits"
  double least_ns = 0;   // less is not believed
  FieldSet present{};
};

// How samples were taken and what they say. All times are nanoseconds a call.
struct Timing {
  std::string clock;  // "worker": the loop shares the candidate's address space; "events": so it
                      // does, and a GPU's clock is read; or "judge"
  std::string cache;  // "warm", "cold", "rotated" or "fresh"
  double median_ns = 0;
  std::optional<std::vector<double>> interval_ns;  // 95 % order-statistic interval of the median
  double p10_ns = 0;
  std::optional<double> latency_ns;                        // what is printed: measure/starts.hpp
  std::optional<std::vector<double>> latency_interval_ns;  // that holds it with 99 %
  std::int64_t calls_per_sample = 1;
  std::vector<double> samples_ns;
  std::optional<double> null_ns;    // what a call takes by itself: subtracted everywhere above
  std::optional<bool> serial;       // no call began before the one before had ended
  std::optional<std::string> stop;  // why there were enough: "width", "budget", "count", "decided"
  std::optional<std::int64_t> threads;            // it was allowed
  std::optional<bool> pinned;                     // to cores that the judge does not use
  std::optional<std::vector<double>> control_ns;  // of kbench's own computation, before and after
  std::optional<std::vector<double>> loads_ns;    // median of each load, where there are several
  std::optional<Roofline> roofline;               // where the machine's peaks are known
  std::optional<double> reference_latency_ns;
  std::optional<double> reference_median_ns;
  std::optional<std::vector<double>> reference_interval_ns;
  std::optional<std::vector<double>> reference_samples_ns;
  std::optional<SpeedupRecord> speedup;
  std::optional<GpuTiming> gpu;             // for a solution on a GPU
  std::optional<std::string> engine;        // "google-benchmark"; absent: kbench's own
  std::optional<RawJson> google_benchmark;  // what it wrote
  FieldSet present{};
};

// What a call computes and moves, for rooflines.
struct Work {
  std::optional<double> flops;                // by the reference, as docs/references.md counts them
  std::int64_t bytes = 0;                     // of the Definition's inputs and outputs
  std::optional<std::int64_t> bytes_touched;  // what the reference reads of these, and the outputs
  FieldSet present{};
};

// How the double-precision answer came about, where the rule asks for one.
struct ExactRecord {
  std::int64_t runs = 0;                             // perturbed ones, for the condition estimate
  std::string judged_against;                        // "exact" or "native"
  std::optional<std::string> absent;                 // why there is no double answer
  std::optional<OrderedMap<std::string>> judged_by;  // each output's standard: docs/verdict.md
  FieldSet present{};
};

// What an audit was made of: docs/trust.md.
struct AuditRecord {
  std::int64_t calls = 0;           // planned: a wrong one ends it
  std::int64_t pool = 0;            // input sets answered beforehand
  std::vector<std::int64_t> order;  // the input set of each call, counted from 0
  bool fresh = true;                // no content came twice
  bool secret_seed = true;          // nobody chose it
  std::string waiting;              // "spinning" or "blocking"
  std::optional<double> overhead_ns;
  FieldSet present{};
};

// What a verdict rests on beside rule, seed and settings. Hashes are SHA-256, hexadecimal.
struct Basis {
  std::string definition;                 // hash of all that the record says
  std::string workload;                   // hash of it, and of the tensors that it names
  std::string solution;                   // hash of it, flags and sources included
  std::optional<std::string> compiler;    // as it calls itself; null: nothing is compiled
  std::vector<std::string> flags;         // the compiler's: kbench's own and the solution's
  std::string machine;                    // begin of a hash of what tells it from others
  std::optional<std::string> prepare;     // the function that is called once, where there is one
  std::optional<std::string> conditions;  // begin of a hash of those under which it runs
  FieldSet present{};
};

// Where the wrong elements of an output lie.
struct ErrorMap {
  std::string output;
  std::vector<std::int64_t> shape;
  std::vector<std::string> rows;
  FieldSet present{};
};

// kbench's part of an Evaluation, under the key "kbench" that FlashInfer-Bench ignores.
struct Details {
  std::int64_t version = 2;  // 1 had content_hash in the place of basis, settings and digest
  std::string rule;          // verdict rule
  std::string trust;         // "plain" or "audit"
  std::string isolation;     // level of the sandbox: "A", "B" or "C"
  std::string seed;  // of the inputs, decimal; a string since JSON readers lose 64-bit integers
  std::int64_t trials = 0;
  std::optional<std::int64_t> draws;     // of the sampler, that were tested
  std::optional<std::string> cause;      // finer than the status: "CRASHED SIGSEGV in call 3"
  std::optional<ErrorMap> error_map;     // where the cause is of single elements
  std::optional<bool> skipped;           // not run: it had failed on others too often
  std::optional<std::string> evaluator;  // that ran the reference: "libtorch"
  std::optional<bool> reference_cached;  // its answer is of an earlier run
  std::optional<std::string> solution_hash;
  std::optional<Basis> basis;
  std::optional<JudgeSettings> settings;
  std::optional<Work> work;
  std::optional<ExactRecord> exact;
  std::optional<InputSetsRecord> input_sets;
  std::optional<std::vector<std::string>> non_discriminating;  // trivial answers that would pass
  std::optional<std::vector<std::string>> trivial_outputs;     // such answers to some outputs alone
  std::optional<std::vector<ReferenceNan>> reference_nan;      // outputs that have NaN
  std::optional<Timing> timing;
  std::optional<AuditRecord> audit;
  std::optional<Compiled> compiled;                       // for a solution in CUDA
  std::optional<GpuRecord> gpu;                           // that it ran on
  std::optional<std::vector<SanitizerFinding>> findings;  // by --sanitize, for a solution in CUDA
  std::optional<ProfileRecord> profile;
  std::optional<EmulationRecord> emulation;          // of a solution in CUDA that no GPU has seen
  std::optional<KernelRecord> kernel;                // for a kernel library
  std::optional<ConfigurationRecord> configuration;  // for a Solution that declares some
  std::optional<std::string> label;                  // by --stamp: docs/stamps.md
  std::optional<double> prepare_ns;                  // time of the first load, by the judge's clock
  std::optional<double> cost_ms;                     // wall time of judging it
  std::optional<double> reference_cost_ms;           // of making its workload ready, for all of it
  std::optional<RunRecord> run;                      // the part of a plan in which it was judged
  std::optional<std::string> digest;                 // SHA-256 of the record's line without these
  std::optional<RecordSignature> signature;          // two; the last of all fields
  FieldSet present{};
};

extern template class Boxed<Details>;  // details.cpp

}  // namespace kbench
