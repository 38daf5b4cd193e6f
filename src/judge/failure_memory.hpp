// What a solution that has failed on some workloads may still do on others.
#pragma once

#include "schema/trace.hpp"

namespace kbench {

// How often a solution may fail before its other workloads are not run: FlashInfer-Bench's numbers.
inline int allowed_failures(Status status) {
  switch (status) {
    case Status::passed:
    case Status::incorrect_numerical:
      return 0;  // never held against it
    case Status::compile_error:
    case Status::timeout:
      return 1;
    default:
      return 3;
  }
}

struct FailureMemory {
  int failures = 0;
  Evaluation last;

  bool skips() const { return failures > 0 && failures >= allowed_failures(last.status); }

  void note(const Evaluation& evaluation) {
    if (skips()) return;  // it was not run
    if (evaluation.status == Status::passed) failures = 0;
    if (allowed_failures(evaluation.status) == 0) return;
    ++failures;
    last = evaluation;
  }
};

}  // namespace kbench
