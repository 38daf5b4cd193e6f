#include "exec/failure.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"

namespace kbench {
namespace {

using worker::Answer;
using worker::Control;
using worker::Phase;

// Preparation is all that a worker can have returned from outside of calls.
bool was_preparing(const Control& control) { return control.command == worker::Command::prepare; }

std::string phase_text(const Control& control) {
  if (control.phase == Phase::waiting && was_preparing(control)) return "after prepare";
  switch (control.phase) {
    case Phase::starting:
      return "before the library was loaded";
    case Phase::loading:
      return "while the library was loaded";
    case Phase::waiting:
      return fmt::format("after call {}", control.calls);
    case Phase::calling:
      return fmt::format("in call {}", control.calls);
    case Phase::timing:
      return fmt::format("while timed, in call {}", control.calls);
    case Phase::collecting:
      return fmt::format("while the results of call {} were read", control.calls);
    case Phase::preparing:
      return "in prepare";
  }
  return "in an unknown phase";
}

// The worker may have written anything: a message ends at its array's end.
std::string message_of(const Control& control) {
  const std::size_t length = ::strnlen(control.message, sizeof control.message);
  return length == 0 ? "(no message)" : std::string(control.message, length);
}

bool within(std::uint64_t address, std::uint64_t begin, std::uint64_t size) {
  return begin != 0 && address >= begin && address < begin + size;
}

bool near(std::uint64_t address, std::uint64_t begin, std::uint64_t size) {
  return begin != 0 && within(address, begin - worker::guard_bytes, size + 2 * worker::guard_bytes);
}

// The count that comes with a name may be a candidate's invention.
std::string quoted(const std::vector<std::string>& names, int i) {
  const auto at = static_cast<std::size_t>(i);
  return at < names.size() ? fmt::format("\"{}\"", names[at]) : std::to_string(i);
}

// "output \"y\"", "result 0", and how far its memory goes.
struct Written {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

// An allocation of a value-returning candidate is told by its size: most likely it is a result.
std::string allocation_name(const Control& control, std::uint64_t bytes) {
  std::string name = "a tensor it allocated";
  int matches = 0;
  for (int i = 0; i < std::min<int>(control.output_count, worker::max_arguments); ++i) {
    if (control.outputs[i].bytes != bytes) continue;
    name = fmt::format("result {}", i);
    ++matches;
  }
  return matches <= 1 ? name : "a result";
}

std::vector<Written> written_tensors(const Control& control,
                                     const std::vector<std::string>& names) {
  std::vector<Written> out;
  if (control.destination_passing == 0) {
    for (const worker::Allocation& memory : control.allocations)
      out.push_back({allocation_name(control, memory.bytes), memory.address, memory.bytes});
    return out;
  }
  for (int i = 0; i < std::min<int>(control.output_count, worker::max_arguments); ++i) {
    out.push_back({fmt::format("output {}", quoted(names, i)), control.output_addresses[i],
                   control.outputs[i].bytes});
  }
  return out;
}

// Names the tensor that an address belongs to, "" where there is none; `failure` says whether that
// is an input.
std::string tensor_at(const Control& control, std::uint64_t address, const TensorNames& names,
                      CandidateFailure& failure) {
  for (std::size_t i = 0; i < names.inputs.size(); ++i) {
    const auto& tensor = control.inputs[i];
    if (tensor.kind != worker::ArgumentKind::tensor) continue;
    const std::uint64_t begin = control.input_addresses[i];
    if ((failure.wrote_input = within(address, begin, tensor.bytes)))
      return fmt::format("wrote to input \"{}\", which is read-only", names.inputs[i]);
    if (near(address, begin, tensor.bytes))
      return fmt::format("out of bounds of input \"{}\"", names.inputs[i]);
  }
  for (const Written& tensor : written_tensors(control, names.outputs)) {
    if (near(address, tensor.begin, tensor.bytes))
      return fmt::format("out of bounds of {}", tensor.name);
  }
  return "";
}

std::string fault_place(const Control& control, const TensorNames& names,
                        CandidateFailure& failure) {
  const std::uint64_t address = control.fault_address;
  if (std::string place = tensor_at(control, address, names, failure); !place.empty()) return place;
  if (address == 0 && control.fault_code == SI_KERNEL) return "an address that no pointer can have";
  constexpr std::uint64_t beyond_nothing = std::uint64_t{1} << 32;  // libraries lie above
  if (control.fault_phase == Phase::preparing && address < beyond_nothing)
    return "null pointer: there, tensors have no data";
  return address < 4096 ? "null pointer" : "";
}

// Outputs are protected between calls: a fault in them is a write by what the call left behind.
std::string late_write(const Control& control, const TensorNames& names) {
  if (control.fault_phase != Phase::waiting && control.fault_phase != Phase::collecting) return "";
  for (const Written& tensor : written_tensors(control, names.outputs)) {
    if (within(control.fault_address, tensor.begin, tensor.bytes))
      return fmt::format("LATE_WRITE: wrote to {} after its call had returned", tensor.name);
  }
  return "";
}

CandidateFailure failure_of_signal(const Control& control, int signal, const TensorNames& names) {
  CandidateFailure failure{Status::runtime_error, "", signal};
  const bool is_fault = control.fault_signal == signal && (signal == SIGSEGV || signal == SIGBUS);
  failure.cause = is_fault ? late_write(control, names) : "";
  if (!failure.cause.empty()) return failure;
  const char* name = ::sigabbrev_np(signal);
  failure.cause =
      fmt::format("CRASHED SIG{} {}", name != nullptr ? name : "?", phase_text(control));
  const std::string place = is_fault ? fault_place(control, names, failure) : "";
  if (!place.empty()) failure.cause += ": " + place;
  return failure;
}

// An error may have another cause than the allocation that failed before it.
bool speaks_of_memory(std::string_view message) {
  return message.find("bad_alloc") != message.npos || message.find("emory") != message.npos;
}

bool ran_out_of_memory(const Control& control, const Death& death) {
  if (death.out_of_memory || death.memory_limit == 0) return death.out_of_memory;
  if (control.out_of_memory != 0) return true;
  return death.peak_bytes > death.tensor_bytes &&
         death.peak_bytes - death.tensor_bytes > death.memory_limit / 10 * 9;
}

// Returns a likely reason for a call with a wrong number of arguments: a kernel of kbench_ffi.h or
// a function of Python that takes the outputs and is called without them, or the other way round.
std::string about_outputs(const Control& control) {
  const std::string message = message_of(control);
  const std::int64_t inputs = control.input_count, all = inputs + control.output_count;
  const bool is_of_python =
      message.starts_with("TypeError: ") && message.find(" positional argument") != message.npos;
  if (control.destination_passing != 0) {
    const bool has_more =
        is_of_python && message.find(fmt::format(" but {} were given", all)) != message.npos;
    return has_more ? " (\"destination_passing_style\" is true, as by default: outputs are passed, "
                      "too)"
                    : "";
  }
  const bool lacks_some = is_of_python && message.find(" missing ") != message.npos;
  const std::string mismatch =
      fmt::format("TypeError: takes {} arguments, called with {}:", all, inputs);
  if (!lacks_some && !message.starts_with(mismatch)) return "";
  return " (\"destination_passing_style\" is false: outputs are not passed)";
}

// The kind of an error is how a candidate says that it serves no such call: an exception of that
// class in Python, kbench::Error's kind, tvm-ffi's. The words of its message say nothing.
CandidateFailure failure_of_call(const Control& control) {
  constexpr std::string_view unsupported = "NotImplementedError: ";
  const std::string message = message_of(control);
  const std::string what =
      was_preparing(control) ? "prepare" : fmt::format("call {}", control.calls);
  if (message.starts_with(unsupported))
    return {Status::runtime_error,
            fmt::format("UNSUPPORTED in {}: {}", what, message.substr(unsupported.size()))};
  return {Status::runtime_error,
          fmt::format("{} returned an error: {}{}", what, message, about_outputs(control))};
}

CandidateFailure over_limit(const std::string& what, const Control& control,
                            const std::string& more = "") {
  return {Status::runtime_error,
          fmt::format("RESOURCE_LIMIT {} {}{}", what, phase_text(control), more)};
}

// Source: CUresult of "CUDA Driver API".
constexpr int device_out_of_memory = 2;

CandidateFailure failure_of_device(const Control& control) {
  const bool no_memory = control.device_error == device_out_of_memory;
  return {Status::runtime_error,
          fmt::format("{} {}: {}", no_memory ? "RESOURCE_LIMIT gpu-memory" : "GPU_ERROR",
                      phase_text(control), message_of(control))};
}

}  // namespace

std::optional<CandidateFailure> failure_of_answer(const Control& control,
                                                  const TensorNames& names) {
  switch (control.answer) {
    case Answer::done:
      return std::nullopt;
    case Answer::load_failed:
      return CandidateFailure{Status::compile_error, "LOAD_ERROR: " + message_of(control)};
    case Answer::call_failed:
      if (control.out_of_memory != 0 && speaks_of_memory(message_of(control)))
        return over_limit("memory", control, ": " + message_of(control));
      return failure_of_call(control);
    case Answer::wrong_results:
      return CandidateFailure{Status::runtime_error, message_of(control)};
    case Answer::device_failed:
      return failure_of_device(control);
    case Answer::wrote_input:
      return CandidateFailure{
          Status::runtime_error,
          fmt::format("INPUT_MODIFIED: call {} wrote to input {}, which is read-only",
                      control.calls, quoted(names.inputs, std::atoi(message_of(control).c_str()))),
          0, true};
    case Answer::none:
      break;
  }
  return CandidateFailure{Status::runtime_error,
                          "PROTOCOL_ERROR: the worker said done without an answer"};
}

CandidateFailure failure_of_report(const SanitizerReport& report, const Control& control,
                                   const TensorNames& names) {
  const std::string at = report.place.empty() ? "" : " at " + report.place;
  const auto says = [&report](const char* words) {
    return report.bug.find(words) != std::string::npos;
  };
  const bool no_memory =
      says("out of memory") || says("out-of-memory") || says("allocation-size-too-big");
  if (no_memory) return over_limit("memory" + at, control);
  // The margin of a tensor is not what a user calls poison, nor a guard an unknown address.
  CandidateFailure failure;
  std::string bug = report.bug;
  const bool is_access = bug == "use-after-poison" || bug == "SEGV" || bug == "unknown-crash";
  if (is_access && report.address) {
    const std::string tensor = tensor_at(control, *report.address, names, failure);
    if (!tensor.empty()) bug = tensor;
  }
  const std::string access = report.access.empty() ? "" : fmt::format(" ({})", report.access);
  failure.cause = fmt::format("SANITIZER {}{}{} {}", bug, access, at, phase_text(control));
  return failure;
}

CandidateFailure failure_of_report(const EmulationReport& report, const Control& control) {
  return {Status::runtime_error,
          fmt::format("{} {} {}", report.kind, report.text, phase_text(control))};
}

CandidateFailure failure_of_death(const Control& control, const Death& death,
                                  const TensorNames& names) {
  if (death.timed_out) {
    return {Status::timeout, fmt::format("time limit of {} {}", human_time(death.seconds * 1e9),
                                         phase_text(control))};
  }
  if (death.flooded) return over_limit("output: it printed too much", control);
  if (death.filled_disk)
    return over_limit("disk: its folder takes more than " +
                          human_bytes(static_cast<double>(worker::scratch_bytes)),
                      control);
  if (ran_out_of_memory(control, death))
    return over_limit("memory: over " + human_bytes(static_cast<double>(death.memory_limit)),
                      control);
  if (death.status.exited && control.answer == Answer::device_failed)
    return failure_of_device(control);  // it ends itself then
  if (death.status.exited)
    return {Status::runtime_error,
            fmt::format("EXITED with {} {}", death.status.code, phase_text(control))};
  if (death.status.code == SIGXFSZ) return over_limit("file size", control);
  return failure_of_signal(control, death.status.code, names);
}

}  // namespace kbench
