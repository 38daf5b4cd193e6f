// kbench's own part of a Trace: the verdict's origin, its timing, its basis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/compiled.hpp"
#include "schema/configuration.hpp"
#include "schema/containers.hpp"
#include "schema/detail_records.hpp"
#include "schema/field.hpp"
#include "schema/judge_settings.hpp"

namespace kbench {

// Roofline of a call: its best time on this machine, nanoseconds (docs/roofline.md).
struct Roofline {
  double bound_ns = 0;
  std::string bound_by;  // "memory", or the arithmetic: "float32", "16 bits", "8 bits"
  double least_ns = 0;   // times below it are not believed
  FieldSet present{};
};

// Times of a solution, nanoseconds a call, and the method of their samples.
struct Timing {
  std::string clock;  // "worker": the loop shares the candidate's address space; "events":
                      // likewise, by a GPU's clock; or "judge"
  std::string cache;  // "warm", "cold", "rotated" or "fresh"
  double median_ns = 0;
  std::optional<std::vector<double>> interval_ns;  // 95 % order-statistic interval of the median
  double p10_ns = 0;
  std::optional<double> latency_ns;  // printed latency: measure/statistics.hpp
  std::optional<std::vector<double>> latency_interval_ns;  // its 99 % confidence interval
  std::int64_t calls_per_sample = 1;
  std::vector<double> samples_ns;
  std::optional<double> null_ns;        // time of an empty call: subtracted everywhere above
  std::optional<bool> serial;           // no call began before the one before had ended
  std::optional<std::string> stop;      // reason to stop: "width", "budget", "count", "decided"
  std::optional<std::int64_t> threads;  // number allowed to it
  std::optional<bool> pinned;           // bound to cores that the judge does not use
  std::optional<std::vector<double>> control_ns;  // kbench's own computation, before and after
  std::optional<std::vector<double>> loads_ns;    // median of each load, if there are several
  std::optional<Roofline> roofline;               // absent: the machine's peaks are unknown
  std::optional<double> reference_latency_ns;
  std::optional<double> reference_median_ns;
  std::optional<std::vector<double>> reference_interval_ns;
  std::optional<std::vector<double>> reference_samples_ns;
  std::optional<SpeedupRecord> speedup;
  std::optional<GpuTiming> gpu;             // a solution on a GPU alone
  std::optional<std::string> engine;        // "google-benchmark"; absent: kbench's own
  std::optional<RawJson> google_benchmark;  // Google Benchmark's own output
  FieldSet present{};
};

// Work of a call for rooflines: operations and bytes moved.
struct Work {
  std::optional<double> flops;                // the reference's, as docs/references.md counts them
  std::int64_t bytes = 0;                     // size of the Definition's inputs and outputs
  std::optional<std::int64_t> bytes_touched;  // part that the reference reads, and the outputs
  FieldSet present{};
};

// Double-precision answer, where the rule asks for one: its origin.
struct ExactRecord {
  std::int64_t runs = 0;                             // perturbed runs, for the condition estimate
  std::string judged_against;                        // "exact" or "native"
  std::optional<std::string> absent;                 // reason why there is no double answer
  std::optional<OrderedMap<std::string>> judged_by;  // each output's standard: docs/verdict.md
  FieldSet present{};
};

// Make-up of an audit: docs/trust.md.
struct AuditRecord {
  std::int64_t calls = 0;           // number planned: a wrong one ends it
  std::int64_t pool = 0;            // input sets answered beforehand
  std::vector<std::int64_t> order;  // input set of each call, counted from 0
  bool fresh = true;                // no content came twice
  bool secret_seed = true;          // drawn: nobody chose it
  std::string waiting;              // "spinning" or "blocking"
  std::optional<double> overhead_ns;
  FieldSet present{};
};

// Basis of a verdict beside rule, seed and settings. Hashes are SHA-256, hexadecimal.
struct Basis {
  std::string definition;                 // hash of all that its record says
  std::string workload;                   // hash of its record, and of the tensors that it names
  std::string solution;                   // hash of its record, flags and sources included
  std::optional<std::string> compiler;    // its own name for itself; null: nothing is compiled
  std::vector<std::string> flags;         // the compiler's: kbench's own and the solution's
  std::string machine;                    // begin of a hash of what tells it from others
  std::optional<std::string> prepare;     // function that is called once before all calls
  std::optional<std::string> conditions;  // begin of a hash of those under which it runs
  FieldSet present{};
};

// Places of the wrong elements of an output.
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
  std::string seed;  // the inputs', decimal; a string since JSON readers lose 64-bit integers
  std::int64_t trials = 0;
  std::optional<std::int64_t> draws;     // tested samples of a sampler
  std::optional<std::string> cause;      // finer than the status: "CRASHED SIGSEGV in call 3"
  std::optional<ErrorMap> error_map;     // present if the cause is of single elements
  std::optional<bool> skipped;           // not run: it had failed on others too often
  std::optional<std::string> evaluator;  // evaluator of the reference: "libtorch"
  std::optional<bool> reference_cached;  // its answer comes from an earlier run
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
  std::optional<Compiled> compiled;                       // a solution in CUDA alone
  std::optional<GpuRecord> gpu;                           // the GPU it ran on
  std::optional<std::vector<SanitizerFinding>> findings;  // --sanitize's, of a solution in CUDA
  std::optional<ProfileRecord> profile;
  std::optional<EmulationRecord> emulation;          // a solution in CUDA that no GPU has seen
  std::optional<KernelRecord> kernel;                // a kernel library alone
  std::optional<ConfigurationRecord> configuration;  // a Solution with declared parameters alone
  std::optional<std::string> label;                  // label of --stamp: docs/stamps.md
  std::optional<double> prepare_ns;                  // time of the first load, by the judge's clock
  std::optional<double> cost_ms;                     // wall time of the judgement
  std::optional<double> reference_cost_ms;           // wall time to ready its workload as a whole
  std::optional<RunRecord> run;                      // place in a plan in which it was judged
  std::optional<std::string> digest;                 // SHA-256 of the record's line without these
  std::optional<RecordSignature> signature;          // the two, last of all fields
  FieldSet present{};
};

extern template class Boxed<Details>;  // defined in trace.cpp

constexpr auto fields(const Roofline*) {
  return std::tuple{
      Field{"bound_ns", &Roofline::bound_ns, Need::required, Rule::non_negative,
            "What a call would take at the machine's own pace, nanoseconds."},
      Field{"bound_by", &Roofline::bound_by, Need::required, Rule::any,
            "What bounds it: \"memory\", or the arithmetic: \"float32\", \"16 bits\", \"8 bits\"."},
      Field{"least_ns", &Roofline::least_ns, Need::required, Rule::non_negative,
            "Less is not believed, nanoseconds."}};
}

constexpr auto fields(const Timing*) {
  return std::tuple{
      Field{"clock", &Timing::clock, Need::required, Rule::any,
            "Who read the clock: \"worker\", \"judge\", or \"events\" of the GPU."},
      Field{"cache", &Timing::cache, Need::required, Rule::any,
            "\"warm\", \"cold\" (inputs and outputs in no cache), \"rotated\" (each call on a GPU "
            "has other copies of them, which do not all fit into its cache) or \"fresh\" (inputs "
            "just written)."},
      Field{"median_ns", &Timing::median_ns, Need::required, Rule::non_negative,
            "Median of the samples, nanoseconds a call."},
      Field{"interval_ns", &Timing::interval_ns, Need::optional, Rule::any,
            "95 % order-statistic interval of the median, where it was timed by itself; null with "
            "fewer than 6 samples."},
      Field{"p10_ns", &Timing::p10_ns, Need::required, Rule::non_negative,
            "10th percentile, nanoseconds a call."},
      Field{"latency_ns", &Timing::latency_ns, Need::extension, Rule::any,
            "Nanoseconds of a call that little disturbs: the mean, over the starts, of the 10th "
            "percentile of each one's turns."},
      Field{"latency_interval_ns", &Timing::latency_interval_ns, Need::extension, Rule::any,
            "Holds the latency of another few starts with a probability of 99 %: its ends."},
      Field{"calls_per_sample", &Timing::calls_per_sample, Need::required, Rule::positive,
            "Calls that one sample averages."},
      Field{"samples_ns", &Timing::samples_ns, Need::required, Rule::any,
            "Every sample, in order, nanoseconds a call."},
      Field{"null_ns", &Timing::null_ns, Need::optional, Rule::any,
            "What a call takes by itself, nanoseconds: subtracted from every sample."},
      Field{"serial", &Timing::serial, Need::optional, Rule::any,
            "Whether each call began when the processor had finished the one before."},
      Field{"stop", &Timing::stop, Need::optional, Rule::any,
            "Why there were enough samples: \"width\" of the interval, \"budget\", \"count\", or "
            "\"decided\": it was known which solution is faster."},
      Field{"threads", &Timing::threads, Need::optional, Rule::any,
            "Threads that the solution was allowed."},
      Field{"pinned", &Timing::pinned, Need::optional, Rule::any,
            "Whether it had cores of its own that the judge did not use."},
      Field{"control_ns", &Timing::control_ns, Need::optional, Rule::any,
            "kbench's own fixed computation before and after the samples, nanoseconds: how far the "
            "machine drifted."},
      Field{"loads_ns", &Timing::loads_ns, Need::extension, Rule::any,
            "Median of the samples of each load, where there are several: what the place of code, "
            "stack and outputs alone makes."},
      Field{"roofline", &Timing::roofline, Need::optional, Rule::any,
            "What a call could take at best; null where the machine's peaks are not known."},
      Field{"reference_latency_ns", &Timing::reference_latency_ns, Need::extension, Rule::any,
            "The latency of the reference, beside which it was timed, nanoseconds."},
      Field{"reference_median_ns", &Timing::reference_median_ns, Need::optional, Rule::any,
            "Median of the reference, nanoseconds a call."},
      Field{"reference_interval_ns", &Timing::reference_interval_ns, Need::optional, Rule::any,
            "95 % order-statistic interval of that median; null with fewer than 6 samples."},
      Field{"reference_samples_ns", &Timing::reference_samples_ns, Need::optional, Rule::any,
            "Every sample of the reference, in order, nanoseconds a call."},
      Field{"speedup", &Timing::speedup, Need::extension, Rule::any,
            "How many times as fast as its reference it is, and how sure that is."},
      Field{"gpu", &Timing::gpu, Need::extension, Rule::any,
            "Of a solution on a GPU: what else was read."},
      Field{"engine", &Timing::engine, Need::extension, Rule::any,
            "\"google-benchmark\" where that took the samples, each of them a repetition."},
      Field{"google_benchmark", &Timing::google_benchmark, Need::extension, Rule::any,
            "What Google Benchmark wrote: its context and its benchmarks."}};
}

constexpr auto fields(const Work*) {
  return std::tuple{Field{"flops", &Work::flops, Need::optional, Rule::any,
                          "Floating-point operations of a call of the reference; null where they "
                          "were not counted."},
                    Field{"bytes", &Work::bytes, Need::required, Rule::non_negative,
                          "Bytes of the Definition's tensor inputs and outputs."},
                    Field{"bytes_touched", &Work::bytes_touched, Need::extension, Rule::any,
                          "Bytes of the inputs that the reference reads, of what it indexes those "
                          "that it picks, and of all outputs; null where they were not counted."}};
}

constexpr auto fields(const ExactRecord*) {
  return std::tuple{
      Field{"runs", &ExactRecord::runs, Need::required, Rule::non_negative,
            "Perturbed runs of the reference that the condition condition comes from."},
      Field{"judged_against", &ExactRecord::judged_against, Need::required, Rule::any,
            "\"exact\", or \"native\" where the reference quantises inside."},
      Field{"absent", &ExactRecord::absent, Need::optional, Rule::any,
            "Why there is no double-precision answer."},
      Field{"judged_by", &ExactRecord::judged_by, Need::optional, Rule::any,
            "How each output is judged: \"numbers\", \"choice\", \"codes\" or "
            "\"bits\" (docs/verdict.md)."}};
}

constexpr auto fields(const Basis*) {
  return std::tuple{
      Field{"definition", &Basis::definition, Need::required, Rule::any,
            "SHA-256 of the definition as written in full."},
      Field{"workload", &Basis::workload, Need::required, Rule::any,
            "SHA-256 of the workload as written in full, and of the tensors that it names."},
      Field{"solution", &Basis::solution, Need::required, Rule::any,
            "SHA-256 of the solution as written in full."},
      Field{"compiler", &Basis::compiler, Need::optional, Rule::any,
            "The compiler as it calls itself; null where nothing is compiled."},
      Field{"flags", &Basis::flags, Need::optional, Rule::any,
            "Flags of the compiler, kbench's own and the solution's, without folders."},
      Field{"machine", &Basis::machine, Need::optional, Rule::any,
            "Tells the machine from others: begin of a SHA-256."},
      Field{"prepare", &Basis::prepare, Need::extension, Rule::any,
            "The function that is called once before all calls; absent where there is none."},
      Field{
          "conditions", &Basis::conditions, Need::extension, Rule::any,
          "Begin of a SHA-256 of what the solution supports and its configurations fulfil; absent "
          "where there are no conditions."}};
}

constexpr auto fields(const ErrorMap*) {
  return std::tuple{
      Field{"output", &ErrorMap::output, Need::required, Rule::any, "Its name."},
      Field{"shape", &ErrorMap::shape, Need::required, Rule::any, "Its shape."},
      Field{
          "rows", &ErrorMap::rows, Need::required, Rule::any,
          "A picture: the last axis from left to right, the others together from top to bottom. A "
          "character is of as many elements as any other, but for one more along an axis: '.' none "
          "of them is wrong, '#' all are, '3' 30 to 39 %."}};
}

constexpr auto fields(const AuditRecord*) {
  return std::tuple{
      Field{"calls", &AuditRecord::calls, Need::required, Rule::non_negative,
            "Calls that were planned; a wrong one is the last."},
      Field{"pool", &AuditRecord::pool, Need::required, Rule::non_negative,
            "Input sets that the reference answered beforehand."},
      Field{"order", &AuditRecord::order, Need::required, Rule::any,
            "The input set of each call that was begun, counted from 0."},
      Field{"fresh", &AuditRecord::fresh, Need::required, Rule::any,
            "False where the workload fixes all inputs, so that each call sees the same."},
      Field{"secret_seed", &AuditRecord::secret_seed, Need::required, Rule::any,
            "False where --seed chose the inputs."},
      Field{"waiting", &AuditRecord::waiting, Need::required, Rule::any,
            "How judge and worker wait for each other: \"spinning\" on cores of their own, or "
            "\"blocking\"."},
      Field{"overhead_ns", &AuditRecord::overhead_ns, Need::optional, Rule::any,
            "Median of what handing over a call takes without a candidate, nanoseconds; it is in "
            "every sample."}};
}

// Fields about a record's own making: the last of them.
constexpr auto fields_of_making() {
  return std::tuple{
      Field{"cost_ms", &Details::cost_ms, Need::extension, Rule::non_negative,
            "Wall time that judging it took, milliseconds, without its build."},
      Field{"reference_cost_ms", &Details::reference_cost_ms, Need::extension, Rule::non_negative,
            "Wall time until its workload was ready, milliseconds: once for all solutions."},
      Field{"run", &Details::run, Need::extension, Rule::any,
            "The shard of a plan that it is of: docs/cluster.md."},
      Field{"digest", &Details::digest, Need::optional, Rule::any, "SHA-256 of all the rest."},
      Field{"signature", &Details::signature, Need::extension, Rule::any, "Made by --sign."}};
}

constexpr auto fields(const Details*) {
  constexpr auto findings = std::tuple{
      Field{"version", &Details::version, Need::required, Rule::positive,
            "Version of this object's form."},
      Field{"rule", &Details::rule, Need::required, Rule::any, "Verdict rule that was applied."},
      Field{"trust", &Details::trust, Need::required, Rule::any,
            "\"plain\" or \"audit\": see docs/trust.md."},
      Field{"isolation", &Details::isolation, Need::required, Rule::any,
            "Sandbox level of the worker: A, B or C."},
      Field{"seed", &Details::seed, Need::required, Rule::any, "Seed of the inputs, decimal."},
      Field{"trials", &Details::trials, Need::required, Rule::non_negative,
            "Random input sets that were judged."},
      Field{"draws", &Details::draws, Need::optional, Rule::non_negative,
            "Random draws of a sampler that were tested together."},
      Field{"cause", &Details::cause, Need::optional, Rule::any, "Finer cause of the status."},
      Field{"error_map", &Details::error_map, Need::extension, Rule::any,
            "Where the wrong elements lie, where single ones are wrong."},
      Field{"skipped", &Details::skipped, Need::optional, Rule::any,
            "True when it was not run, having failed too often: its cause is of the last time."},
      Field{"evaluator", &Details::evaluator, Need::optional, Rule::any,
            "What evaluated the reference."},
      Field{"reference_cached", &Details::reference_cached, Need::optional, Rule::any,
            "True when the reference's answer is of an earlier run; its times never are."},
      Field{"solution_hash", &Details::solution_hash, Need::optional, Rule::any,
            "Hash of the Solution that ran."},
      Field{"basis", &Details::basis, Need::optional, Rule::any,
            "What the verdict rests on: docs/records.md."},
      Field{"settings", &Details::settings, Need::optional, Rule::any, "What the run was told."},
      Field{"work", &Details::work, Need::optional, Rule::any, "What a call computes and moves."},
      Field{"exact", &Details::exact, Need::optional, Rule::any,
            "Of the double-precision answer, where the rule asks for one."},
      Field{"input_sets", &Details::input_sets, Need::optional, Rule::any,
            "Structured inputs that were judged beside the random ones."},
      Field{"non_discriminating", &Details::non_discriminating, Need::optional, Rule::any,
            "Trivial answers that would pass every trial: the verdict tells nothing."},
      Field{"trivial_outputs", &Details::trivial_outputs, Need::extension, Rule::any,
            "Likewise, where other outputs tell."},
      Field{"reference_nan", &Details::reference_nan, Need::extension, Rule::any,
            "NaN in the reference's own answer, by output; absent where it has none."},
      Field{"timing", &Details::timing, Need::optional, Rule::any, "How it was timed."},
      Field{"audit", &Details::audit, Need::extension, Rule::any,
            "Of --audit: how each call was made."},
      Field{"compiled", &Details::compiled, Need::extension, Rule::any,
            "Of a solution in CUDA: what can be said of its kernels without running them."},
      Field{"gpu", &Details::gpu, Need::extension, Rule::any, "That the solution ran on."},
      Field{"findings", &Details::findings, Need::extension, Rule::any,
            "Of --sanitize, of a solution in CUDA: what the tools found."},
      Field{"profile", &Details::profile, Need::extension, Rule::any, "What ncu measured."},
      Field{"emulation", &Details::emulation, Need::extension, Rule::any, "Of --emulate."},
      Field{"kernel", &Details::kernel, Need::extension, Rule::any,
            "Of a kernel library: which kernel was taken, and why."},
      Field{"configuration", &Details::configuration, Need::extension, Rule::any,
            "Of a solution that declares parameters: their values, and who chose them."},
      Field{"label", &Details::label, Need::extension, Rule::any,
            "Of --stamp: how profiles name its calls."},
      Field{"prepare_ns", &Details::prepare_ns, Need::extension, Rule::non_negative,
            "What its `prepare` took at its first load, nanoseconds: in no sample."}};
  return std::tuple_cat(findings, fields_of_making());
}

}  // namespace kbench
