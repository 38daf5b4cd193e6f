// A candidate and the way to call it: tvm-ffi's C ABI.
#pragma once

#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem/worker_protocol.hpp"
#include "worker/kernel.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

// Function that is called, with its companions.
struct EntryPoint {
  int (*call)(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result);
  void* self = nullptr;
  int (*release)(TVMFFIObjectHandle) = nullptr;       // frees a returned object
  void (*take_error)(TVMFFIObjectHandle*) = nullptr;  // takes the error that the last call raised
  // Function that the control block says is called before all calls.
  int (*prepare)(void* self, const TVMFFIAny* arguments, std::int32_t count,
                 TVMFFIAny* result) = nullptr;
  // Tells a solution in CUDA on the processor each call's tensors.
  EmulationCall emulate = nullptr;
};

// Finds the entry point that the control block names. Nothing: the reason is in the block.
using Loader = std::function<std::optional<EntryPoint>(Control&)>;

// Loads a library: dlopen, and the symbol __tvm_ffi_<name>; or its kernel by itself, on the
// processor.
std::optional<EntryPoint> load_library(Control& control);

// Returns the dynamic linker's complaint about `library`, for one line of a table: the symbol that
// it lacks, demangled, and no path.
std::string load_error(const std::string& message, const std::string& library);

// Writes an answer and its reason into the control block.
void say(Control& control, Answer answer, const std::string& message);

// Writes there why a candidate cannot be loaded, shortened by load_error().
void say_load_failed(Control& control, const std::string& message);

class Hardware;

class Candidate {
 public:
  // Arguments are in the Definition's order; `control` gives shapes and scalars. All outlive it.
  Candidate(Control& control, const std::vector<MappedTensor>& inputs,
            const std::vector<MappedTensor>& outputs, Hardware& hardware);
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  // Returns false with the reason in the control block.
  bool load(const Loader& loader);

  // Calls what comes before all calls, with the arguments of one, its tensors without data. False
  // as call().
  bool prepare();

  // Begins the calls of a command: takes the scalars that the control block holds now, and makes
  // the memory for results writable. `is_judged`: all that is allocated is poisoned.
  void begin(bool is_judged);
  // Shifts all tensors by so many bytes, until the calls of a command begin.
  void move_tensors(std::size_t bytes);

  // Makes one call, by the usual rules of arithmetic: this is timed. False leaves the error for
  // describe_error(). A value-returning candidate's results are released first.
  bool call();

  // Calls a candidate that does nothing: the cost of a call by itself.
  bool call_null();

  // Evicts its inputs and outputs from all caches, where the processor can do that. Memory that it
  // allocated itself stays there.
  void leave_caches();

  // Writes the error's text of a failed call to the control block.
  void describe_error();

  // Ends the calls of a command: a write to its outputs is a fault from now on. Returned results
  // are copied to the outputs and described in the control block; false leaves the reason there why
  // they cannot.
  bool finish_calls();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Makes one call, counted as it begins: so the judge sees progress, and which call hangs.
bool call_once(Control& control, Candidate& candidate);

}  // namespace kbench::worker
