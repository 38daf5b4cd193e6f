// Hardware for a candidate's tensors and calls, as the worker's session sees it. This one is the
// processor, where nothing is to be done: the judge's shared memory is the candidate's, and a call
// is over when it returns. Others take its place (worker/cuda/hardware.hpp).
#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <vector>

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

// Functions that can fail leave the reason in the control block and return false.
class Hardware {
 public:
  Hardware() = default;
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;
  virtual ~Hardware() = default;

  // Device of the tensors that a candidate sees.
  virtual DLDevice device() const { return {kDLCPU, 0}; }
  // Tells whether the candidate's memory is another than the host's.
  bool has_own_memory() const { return device().device_type != kDLCPU; }
  // Comes before all else: says of each tensor where the candidate sees it (MappedTensor::seen).
  virtual bool place(Control& /*control*/, std::vector<MappedTensor>& /*inputs*/,
                     std::vector<MappedTensor>& /*outputs*/) {
    return true;
  }
  // Brings the inputs, and the outputs' poison, to where the candidate sees them.
  virtual bool send() { return true; }
  // Waits until all that calls have begun has ended.
  virtual bool wait() { return true; }
  // Brings the outputs to where the judge sees them. `is_judged`: checks that no input was written.
  virtual bool fetch(bool /*is_judged*/) { return true; }
  // Allocates the hardware's own memory for what a candidate returns: null where there is none
  // left. put() and bring() are the ways there and back.
  virtual std::byte* allocate(std::size_t /*bytes*/) { return nullptr; }
  virtual bool put(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*bytes*/) {
    return false;
  }
  virtual bool bring(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*bytes*/) {
    return false;
  }
  // Has a profiler see what is done until the next call, or stops that.
  virtual bool show_profiler(bool /*is_seen*/) { return true; }
  // Takes the samples that Control::epochs asks for into Control::samples_ns.
  virtual bool run_epochs(Control& control, Candidate& candidate);
};

}  // namespace kbench::worker
