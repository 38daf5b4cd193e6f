// Parts of kbench's addition to a Trace (details.hpp): the judged kernel and its run, the GPU,
// NVIDIA's tools, the speed-up, and what its workload alone shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

// Kernel that was taken for a workload, and the reason.
struct KernelRecord {
  std::string op;                       // "aten::add.out"
  std::string symbol;                   // "mylib::native::add_out"
  std::optional<std::string> key;       // "v1/6;0,1|6;0,1|6;0,1"; null: its default kernel
  std::string match;                    // "exact" or "fallback"
  std::string file;                     // the kernel yaml
  std::int64_t line = 0;                // the kernel's line there
  std::optional<std::string> contract;  // check of its contract that this is: "C5 values"
  FieldSet present{};
};

// Place of a record in a planned run: docs/cluster.md.
struct RunRecord {
  std::string plan;  // begin of the SHA-256 of its file
  std::int64_t shard = 0;
  std::int64_t attempt = 0;  // number of earlier attempts at the shard
  std::string node;          // host name
  std::string pair;          // the plan's digest of what was judged
  FieldSet present{};
};

// Key that vouches for a record: src/schema/record_signature.hpp.
struct RecordSignature {
  std::string key;    // public key, 32 bytes of Ed25519 in Base64
  std::string value;  // signature of the rest of the record's line, 64 bytes in Base64
  FieldSet present{};
};

// Emulation of a solution in CUDA that was judged on a processor: docs/emulation.md.
struct EmulationRecord {
  std::int64_t orders = 0;  // calls, each with an order of blocks, warps and lanes of its own
  std::string seed;         // seed of these orders, decimal
  FieldSet present{};
};

// GPU that a solution ran on.
struct GpuRecord {
  std::string name;          // the driver's name for it
  std::string architecture;  // "sm_90"
  std::string driver;        // newest CUDA that the driver knows: "13.5"
  std::int64_t memory_bytes = 0;
  std::optional<std::string> uuid;  // begin of its SHA-256
  FieldSet present{};
};

// Facts beside the events when a GPU is timed.
struct GpuTiming {
  std::optional<double> activity_ns;    // median, by the device's own records: docs/cuda.md
  std::vector<std::int64_t> clock_mhz;  // multiprocessors' clock before the samples and after
  std::int64_t max_clock_mhz = 0;
  std::int64_t memory_mhz = 0;
  std::vector<std::int64_t> celsius;   // degrees before and after
  std::vector<std::string> slowed_by;  // causes, before or after: "power", "heat"
  FieldSet present{};
};

// Finding of a tool of compute-sanitizer: one, however often it was reported.
struct SanitizerFinding {
  std::string tool;                   // "memcheck"
  std::string message;                // tool's words: "Invalid __global__ write of size 4 bytes"
  std::optional<std::string> kernel;  // kernel, or its function: "twice(float const*, float*)"
  std::optional<std::string> place;   // "kernel.cu:12"
  std::optional<std::string> thread;  // "(3,0,0)"
  std::optional<std::string> block;   // "(0,0,0)"
  std::int64_t reports = 1;           // number that say the same, of other threads too
  FieldSet present{};
};

// Measurements of ncu.
struct ProfileRecord {
  std::string report;  // path of its file, below the folder that has traces/
  std::string set;     // set of ncu's sections: "basic"
  FieldSet present{};
};

// Factor by which a solution was found faster than its reference: docs/speedup.md.
struct SpeedupRecord {
  std::optional<double> ratio;                  // time of the reference / time of the solution
  std::optional<std::vector<double>> interval;  // 99 % confidence interval of the ratio
  std::optional<std::string> absent;            // reason why there is no ratio
  std::string how;         // "in turn" or "apart"; "" where the reference was not timed
  std::int64_t pairs = 0;  // pairs of turns; apart: samples of the one that has fewer
  std::optional<std::vector<double>> starts;  // ratio of each start, if there are several
  std::string evaluator;     // evaluator of the timed reference: "libtorch" or "python"
  std::int64_t threads = 0;  // threads of the reference
  // Fields of records from earlier versions alone:
  std::optional<double> others_running;  // tasks beside kbench that wanted a core, on average
  std::optional<double> disturbed;  // share of `pairs` in which somebody else had part of a core
  FieldSet present{};
};

// Structured input sets, where the rule asks for the double-precision answer.
struct InputSetsRecord {
  std::vector<std::string> used;    // "exact", "mixed", "mixed 2", …, in the order of judgement
  OrderedMap<std::string> dropped;  // the others, each with the reason
  FieldSet present{};
};

// NaN of an output in the reference's own answer, to the first random inputs that make any.
struct ReferenceNan {
  std::string output;
  std::int64_t count = 0;
  std::int64_t elements = 0;  // number in the output
  std::string where;          // "all in the first 2 of axis 0"; "first at [3]"
  FieldSet present{};
};

constexpr auto fields(const KernelRecord*) {
  return std::tuple{
      Field{"op", &KernelRecord::op, Need::required, Rule::non_empty,
            "The operator, \"aten::add.out\"."},
      Field{"symbol", &KernelRecord::symbol, Need::required, Rule::non_empty,
            "The kernel's function in C++."},
      Field{"key", &KernelRecord::key, Need::required, Rule::any,
            "The tensors that the kernel is registered for, \"v1/6;0,1|6;0,1\"; null for a default "
            "kernel."},
      Field{"match", &KernelRecord::match, Need::required, Rule::any,
            "\"exact\": the key names the workload's tensors; \"fallback\": the default kernel."},
      Field{"file", &KernelRecord::file, Need::required, Rule::any, "The kernel yaml."},
      Field{"line", &KernelRecord::line, Need::required, Rule::any, "The kernel's line there."},
      Field{"contract", &KernelRecord::contract, Need::extension, Rule::any,
            "Of kbench kernels test: which check of the contract this is."}};
}

constexpr auto fields(const RunRecord*) {
  return std::tuple{
      Field{"plan", &RunRecord::plan, Need::required, Rule::any,
            "Begin of the SHA-256 of the plan's file."},
      Field{"shard", &RunRecord::shard, Need::required, Rule::non_negative, "Counted from 0."},
      Field{"attempt", &RunRecord::attempt, Need::required, Rule::non_negative,
            "How often the shard was begun before."},
      Field{"node", &RunRecord::node, Need::required, Rule::any, "The host's name."},
      Field{"pair", &RunRecord::pair, Need::required, Rule::any,
            "What was judged: the digest that the plan has of it."}};
}

constexpr auto fields(const RecordSignature*) {
  return std::tuple{Field{"key", &RecordSignature::key, Need::required, Rule::non_empty,
                          "The public key, 32 bytes of Ed25519 in Base64."},
                    Field{"value", &RecordSignature::value, Need::required, Rule::non_empty,
                          "The signature of the line less this value, 64 bytes in Base64."}};
}

constexpr auto fields(const EmulationRecord*) {
  return std::tuple{Field{"orders", &EmulationRecord::orders, Need::required, Rule::non_negative,
                          "Calls, each with an order of blocks, warps and lanes of its own."},
                    Field{"seed", &EmulationRecord::seed, Need::required, Rule::any,
                          "Seed of these orders, decimal."}};
}

constexpr auto fields(const GpuRecord*) {
  return std::tuple{
      Field{"name", &GpuRecord::name, Need::required, Rule::any, "As its driver calls it."},
      Field{"architecture", &GpuRecord::architecture, Need::required, Rule::any,
            "Its compute capability: \"sm_90\"."},
      Field{"driver", &GpuRecord::driver, Need::required, Rule::any,
            "The newest CUDA that its driver knows."},
      Field{"memory_bytes", &GpuRecord::memory_bytes, Need::required, Rule::non_negative,
            "Of the device."},
      Field{"uuid", &GpuRecord::uuid, Need::extension, Rule::any,
            "Tells it from others of its kind: begin of the SHA-256 of its UUID."}};
}

constexpr auto fields(const GpuTiming*) {
  return std::tuple{
      Field{"activity_ns", &GpuTiming::activity_ns, Need::extension, Rule::any,
            "Median of single calls by CUPTI's records, nanoseconds: from the begin of the first "
            "kernel to the end of the last; absent where there is no CUPTI."},
      Field{"clock_mhz", &GpuTiming::clock_mhz, Need::required, Rule::any,
            "Of the multiprocessors, before the samples and after; empty where NVML does not say."},
      Field{"max_clock_mhz", &GpuTiming::max_clock_mhz, Need::required, Rule::non_negative,
            "That they can have."},
      Field{"memory_mhz", &GpuTiming::memory_mhz, Need::required, Rule::non_negative,
            "Of the memory."},
      Field{"celsius", &GpuTiming::celsius, Need::required, Rule::any,
            "Of the chip, before the samples and after."},
      Field{"slowed_by", &GpuTiming::slowed_by, Need::required, Rule::any,
            "What held the clocks back, before the samples or after: \"power\", \"heat\"."}};
}

constexpr auto fields(const SanitizerFinding*) {
  return std::tuple{
      Field{"tool", &SanitizerFinding::tool, Need::required, Rule::any,
            "Of compute-sanitizer: \"memcheck\", \"racecheck\", \"initcheck\" or \"synccheck\"."},
      Field{"message", &SanitizerFinding::message, Need::required, Rule::any, "In its own words."},
      Field{"kernel", &SanitizerFinding::kernel, Need::extension, Rule::any,
            "The kernel, or the function that it calls."},
      Field{"place", &SanitizerFinding::place, Need::extension, Rule::any,
            "File and line of the solution's source: \"kernel.cu:12\"."},
      Field{"thread", &SanitizerFinding::thread, Need::extension, Rule::any,
            "The first thread that did it: \"(3,0,0)\"."},
      Field{"block", &SanitizerFinding::block, Need::extension, Rule::any,
            "The block of that thread."},
      Field{"reports", &SanitizerFinding::reports, Need::required, Rule::positive,
            "Reports that say the same, of other threads as well."}};
}

constexpr auto fields(const ProfileRecord*) {
  return std::tuple{Field{"report", &ProfileRecord::report, Need::required, Rule::any,
                          "The file that ncu wrote, below the folder that has traces/."},
                    Field{"set", &ProfileRecord::set, Need::required, Rule::any,
                          "The set of ncu's sections that it has."}};
}

constexpr auto fields(const SpeedupRecord*) {
  return std::tuple{
      Field{"ratio", &SpeedupRecord::ratio, Need::optional, Rule::any,
            "Time of the reference / time of the solution: the middle of the interval; null where "
            "one of them could not be timed."},
      Field{"interval", &SpeedupRecord::interval, Need::optional, Rule::any,
            "Holds the ratio with a probability of 99 %: its ends."},
      Field{"absent", &SpeedupRecord::absent, Need::optional, Rule::any, "Why there is no ratio."},
      Field{
          "how", &SpeedupRecord::how, Need::optional, Rule::any,
          "\"in turn\": the two were timed in turn, and the ratio is of each turn; \"apart\": one "
          "was timed after the other. Empty where the reference was not timed."},
      Field{"pairs", &SpeedupRecord::pairs, Need::optional, Rule::non_negative,
            "Turns that the ratio is of; apart, the smaller number of samples."},
      Field{"starts", &SpeedupRecord::starts, Need::extension, Rule::any,
            "The ratio of each start of the two, where there are several."},
      Field{"evaluator", &SpeedupRecord::evaluator, Need::optional, Rule::any,
            "What the timed reference ran in: \"libtorch\" or \"python\"."},
      Field{"threads", &SpeedupRecord::threads, Need::optional, Rule::non_negative,
            "Threads that the timed reference had: one, or as many as the solution, whichever was "
            "faster."},
      Field{"others_running", &SpeedupRecord::others_running, Need::extension, Rule::any,
            "Tasks beside kbench that wanted a core meanwhile, on average; in records of earlier "
            "versions alone."},
      Field{"disturbed", &SpeedupRecord::disturbed, Need::extension, Rule::any,
            "Share of these turns in which somebody else had part of a core; in records of earlier "
            "versions alone."}};
}

constexpr auto fields(const InputSetsRecord*) {
  return std::tuple{Field{"used", &InputSetsRecord::used, Need::required, Rule::any,
                          "Names of those that were judged."},
                    Field{"dropped", &InputSetsRecord::dropped, Need::optional, Rule::any,
                          "Names of those that would not be fair, and why."}};
}

constexpr auto fields(const ReferenceNan*) {
  return std::tuple{Field{"output", &ReferenceNan::output, Need::required, Rule::any, "Its name."},
                    Field{"count", &ReferenceNan::count, Need::required, Rule::positive,
                          "How many of its elements are NaN."},
                    Field{"elements", &ReferenceNan::elements, Need::required, Rule::positive,
                          "How many it has."},
                    Field{"where", &ReferenceNan::where, Need::required, Rule::any,
                          "What their places have in common, or the first of them."}};
}

// Answers that need no computation and pass, as text.

// Writes non_discriminating or trivial_outputs of a record. "zeros or ones"; for several outputs
// "Q: zeros or ones, and R: zeros", since a program returns one for each of them.
std::string trivial_text(const std::vector<std::string>& names);

}  // namespace kbench
