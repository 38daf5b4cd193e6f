// Runs one request in this process. Meant for a fork that ends afterwards: the limits it sets stay.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {

struct ExecuteResult {
  ReferenceReply reply;
  SharedMemory outputs;  // where reply.outputs lie
};

// Evaluates or compiles the request's reference. Nothing that the reference does is thrown.
ExecuteResult execute(const ReferenceRequest& request, Fd inputs);

// The evaluator cannot run the reference.
struct Unsupported {
  std::string message;
  int line = 0;
};

// Throws Unsupported, RaisedError.
std::unique_ptr<ReferenceFunction> load_reference(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options);

// Touches what every first call would otherwise pay for, without starting a thread: a fork of this
// process would not have it.
void warm_up();

// "2.15.0"
std::string libtorch_version();
// Where its libraries lie; some are loaded late.
std::filesystem::path libtorch_folder();

}  // namespace kbench
