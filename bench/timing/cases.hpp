// The kernels of kernels.cpp with their arguments, for kbench's workers and for calls within a
// process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "exec/candidate_process.hpp"
#include "measure/sampling.hpp"

namespace kbench::bench {

struct Case {
  std::string kernel;  // "chain", "dot", "softmax" or "stream"
  std::int64_t n = 1;
};

// Returns one of the two files that kernels.cpp was built to.
std::filesystem::path library(bool second);

// Inputs and outputs that are large enough for `most`.
class Buffers {
 public:
  explicit Buffers(const Case& most);
  ~Buffers();
  // Takes other memory for the outputs, unused at the time, as a contest's meetings do.
  void move_outputs();

 private:
  friend class Resident;
  struct State;
  std::unique_ptr<State> state_;
};

// A kernel in a kbench-worker of its own. Its come_up() loads it and calls it once; then it is
// ready for its epochs. Throws where something fails.
class Resident {
 public:
  Resident(const Case& what, Buffers& buffers, bool second, const CoreSplit& cores);
  ~Resident();
  void come_up();  // comes up: it was only started before
  RunEpochs run();
  RunEpochs run_in_turn();  // it rests while others are timed

 private:
  Inputs& inputs_;
  std::int64_t n_;
  std::unique_ptr<CandidateProcess> process_;
};

// Returns nanoseconds a call under Google Benchmark, in this process: the same file, the same size
// and alignment of buffers.
double google_benchmark_ns(const Case& what, double min_seconds);

}  // namespace kbench::bench
