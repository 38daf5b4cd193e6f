// Parts of what kbench adds to a Trace (details.hpp): the kernel that was judged and the run that
// it was judged in, the GPU, NVIDIA's tools, the speed-up, and what its workload alone shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/field.hpp"
#include "schema/ordered_map.hpp"

namespace kbench {

// Which kernel was taken for a workload, and why.
struct KernelRecord {
  std::string op;                       // "aten::add.out"
  std::string symbol;                   // "mylib::native::add_out"
  std::optional<std::string> key;       // "v1/6;0,1|6;0,1|6;0,1"; null: its default kernel
  std::string match;                    // "exact" or "fallback"
  std::string file;                     // the kernel yaml
  std::int64_t line = 0;                // of the kernel there
  std::optional<std::string> contract;  // which check of its contract this is: "C5 values"
  FieldSet present{};
};

// The place of a record in a planned run: docs/cluster.md.
struct RunRecord {
  std::string plan;  // begin of the SHA-256 of its file
  std::int64_t shard = 0;
  std::int64_t attempt = 0;  // how often the shard was begun before
  std::string node;          // the host's name
  std::string pair;          // the digest that the plan has of what was judged
  FieldSet present{};
};

// The key that vouches for a record: src/schema/record_origin.hpp.
struct RecordSignature {
  std::string key;    // the public one, 32 bytes of Ed25519 in Base64
  std::string value;  // 64 bytes in Base64, of the rest of the record's line
  FieldSet present{};
};

// A solution in CUDA that was judged on a processor: docs/emulation.md.
struct EmulationRecord {
  std::int64_t orders = 0;  // calls, each with an order of blocks, warps and lanes of its own
  std::string seed;         // of these orders, decimal
  FieldSet present{};
};

// The GPU that a solution ran on.
struct GpuRecord {
  std::string name;          // as its driver calls it
  std::string architecture;  // "sm_90"
  std::string driver;        // the newest CUDA that the driver knows: "13.5"
  std::int64_t memory_bytes = 0;
  std::optional<std::string> uuid;  // begin of its SHA-256
  FieldSet present{};
};

// Facts beside the events when a GPU is timed.
struct GpuTiming {
  std::optional<double> activity_ns;    // median, by the device's own records: docs/cuda.md
  std::vector<std::int64_t> clock_mhz;  // of the multiprocessors before the samples and after
  std::int64_t max_clock_mhz = 0;
  std::int64_t memory_mhz = 0;
  std::vector<std::int64_t> celsius;   // before and after
  std::vector<std::string> slowed_by;  // at one of the two: "power", "heat"
  FieldSet present{};
};

// A finding of a tool of compute-sanitizer: one, however often it was reported.
struct SanitizerFinding {
  std::string tool;                   // "memcheck"
  std::string message;                // its own words: "Invalid __global__ write of size 4 bytes"
  std::optional<std::string> kernel;  // or the function of it: "twice(float const*, float*)"
  std::optional<std::string> place;   // "kernel.cu:12"
  std::optional<std::string> thread;  // "(3,0,0)"
  std::optional<std::string> block;   // "(0,0,0)"
  std::int64_t reports = 1;           // that say the same, of other threads
  FieldSet present{};
};

// Measurements of ncu.
struct ProfileRecord {
  std::string report;  // its file, below the folder that has traces/
  std::string set;     // of ncu's sections: "basic"
  FieldSet present{};
};

// How many times as fast as its reference a solution was found to be: docs/speedup.md.
struct SpeedupRecord {
  std::optional<double> ratio;                  // time of the reference / time of the solution
  std::optional<std::vector<double>> interval;  // that holds it with 99 %
  std::optional<std::string> absent;            // why there is no ratio
  std::string how;         // "in turn" or "apart"; "" where the reference was not timed
  std::int64_t pairs = 0;  // of turns; apart, the fewer of the two's samples
  std::optional<std::vector<double>> starts;  // ratio of each, where there are several
  std::string evaluator;     // that the timed reference ran in: "libtorch" or "python"
  std::int64_t threads = 0;  // that it had
  // In records of earlier versions alone:
  std::optional<double> others_running;  // tasks beside kbench that wanted a core, on average
  std::optional<double> disturbed;  // share of `pairs` in which somebody else had part of a core
  FieldSet present{};
};

// The structured input sets, where the rule asks for the double-precision answer.
struct InputSetsRecord {
  std::vector<std::string> used;  // "exact", "mixed", "mixed 2", …, in the order they were judged
  OrderedMap<std::string> dropped;  // the others, and why
  FieldSet present{};
};

// NaN of an output in the reference's own answer, to the first random inputs that make any.
struct ReferenceNan {
  std::string output;
  std::int64_t count = 0;
  std::int64_t elements = 0;  // of the output
  std::string where;          // "all in the first 2 of axis 0"; "first at [3]"
  FieldSet present{};
};

}  // namespace kbench
