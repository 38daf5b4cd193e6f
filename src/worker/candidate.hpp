// One candidate's library and how to call it: tvm-ffi's C ABI.
#pragma once

#include <memory>
#include <vector>

#include "problem/worker_protocol.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

class Candidate {
 public:
  // Arguments in the Definition's order; `control` gives shapes and scalars.
  Candidate(Control& control, const std::vector<MappedTensor>& inputs,
            const std::vector<MappedTensor>& outputs);
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  // Loads the library and finds the symbol; false leaves the reason in the control block.
  bool load();

  // Takes the scalars that the control block holds now.
  void refresh_scalars();

  // One call, nothing else: what is timed. False leaves the error for describe_error(). A value-
  // returning candidate's results are released first.
  bool call();

  // After a failed call: its error's text to the control block.
  void describe_error();

  // After a call of a value-returning candidate: copies its results to the outputs and describes
  // them in the control block. False leaves the reason there.
  bool collect_results();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kbench::worker
