// One candidate and how to call it: tvm-ffi's C ABI.
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

// What is called.
struct EntryPoint {
  int (*call)(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result);
  void* self = nullptr;
  int (*release)(TVMFFIObjectHandle) = nullptr;       // for an object that was returned
  void (*take_error)(TVMFFIObjectHandle*) = nullptr;  // that the last call raised
  // What the control block says is called before all calls.
  int (*prepare)(void* self, const TVMFFIAny* arguments, std::int32_t count,
                 TVMFFIAny* result) = nullptr;
  // A solution in CUDA on the processor is told of each call's tensors by it.
  EmulationCall emulate = nullptr;
};

// Finds it by what the control block says. Nothing leaves the reason there.
using Loader = std::function<std::optional<EntryPoint>(Control&)>;

// From a library: dlopen, and the symbol __tvm_ffi_<name>; or its kernel by itself, on the
// processor.
std::optional<EntryPoint> load_library(Control& control);

// What the dynamic linker says of `library`, for one line of a table: the symbol that it lacks,
// demangled, and no path.
std::string load_error(const std::string& message, const std::string& library);

// Leaves why something is not as it must be.
void say(Control& control, Answer answer, const std::string& message);

// Leaves why a candidate cannot be loaded, as load_error() says it.
void say_load_failed(Control& control, const std::string& message);

class Hardware;

class Candidate {
 public:
  // Arguments in the Definition's order; `control` gives shapes and scalars. All outlive it.
  Candidate(Control& control, const std::vector<MappedTensor>& inputs,
            const std::vector<MappedTensor>& outputs, Hardware& hardware);
  ~Candidate();
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  // False leaves the reason in the control block.
  bool load(const Loader& loader);

  // Before all calls: it sees the arguments of one, with tensors that have no data. False as
  // call().
  bool prepare();

  // Before the calls of a command: takes the scalars that the control block holds now, and makes
  // the memory for results writable. Where calls are judged, all that is allocated is poisoned.
  void begin(bool is_judged);
  // From now on, until calls of a command begin, it sees them all so many bytes further on.
  void move_tensors(std::size_t bytes);

  // One call, by the usual rules of arithmetic: what is timed. False leaves the error for
  // describe_error(). A value-returning candidate's results are released first.
  bool call();

  // Calls a candidate that does nothing: what a call takes by itself.
  bool call_null();

  // Afterwards its inputs and outputs are in no cache, where the processor can do that. What it
  // allocated itself stays where it is.
  void leave_caches();

  // After a failed call: its error's text to the control block.
  void describe_error();

  // After the last call of a command: nobody writes to its outputs from now on. Results that were
  // returned are copied to the outputs and described in the control block; false leaves the reason
  // there why they cannot.
  bool finish_calls();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One call, counted as it begins: so the judge sees that there is progress, and which call hangs.
bool call_once(Control& control, Candidate& candidate);

}  // namespace kbench::worker
