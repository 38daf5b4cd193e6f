// From a request to a reference that is ready to be called, by whichever evaluator it asks for.
#pragma once

#include <memory>

#include "problem/reference_protocol.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {

// The evaluator cannot run the reference.
struct Unsupported {
  std::string message;
  int line = 0;
};

// Throws Unsupported, RaisedError.
std::unique_ptr<ReferenceFunction> load_reference(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options);

}  // namespace kbench
