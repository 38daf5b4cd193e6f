// What a candidate's tensors lie in and its calls run on, as the worker's session sees it. This one
// is the processor, where nothing is to be done: what the judge shares is what a candidate sees,
// and a call is over when it returns. Others stand in the place of it (worker/cuda/hardware.hpp).
#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <vector>

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

// What can fail leaves the reason in the control block and returns false.
class Hardware {
 public:
  Hardware() = default;
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;
  virtual ~Hardware() = default;

  // The device of the tensors that a candidate sees.
  virtual DLDevice device() const { return {kDLCPU, 0}; }
  // Then what the host has is not what a candidate sees.
  bool has_own_memory() const { return device().device_type != kDLCPU; }
  // Before all else: says of each tensor where the candidate sees it (MappedTensor::seen).
  virtual bool place(Control& /*control*/, std::vector<MappedTensor>& /*inputs*/,
                     std::vector<MappedTensor>& /*outputs*/) {
    return true;
  }
  // The inputs, and the outputs' poison, are where the candidate sees them.
  virtual bool send() { return true; }
  // All that calls have begun has ended.
  virtual bool wait() { return true; }
  // The outputs are where the judge sees them. `is_judged`: no input was written to.
  virtual bool fetch(bool /*is_judged*/) { return true; }
  // Takes memory of its own for what a candidate returns: null where there is none left. Then come
  // the ways there and back.
  virtual std::byte* allocate(std::size_t /*bytes*/) { return nullptr; }
  virtual bool put(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*bytes*/) {
    return false;
  }
  virtual bool bring(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*bytes*/) {
    return false;
  }
  // What is done until it is called again is what a profiler is to see, or no more.
  virtual bool show_profiler(bool /*is_seen*/) { return true; }
  // What Control::epochs asks for, into Control::samples_ns.
  virtual bool run_epochs(Control& control, Candidate& candidate);
};

}  // namespace kbench::worker
