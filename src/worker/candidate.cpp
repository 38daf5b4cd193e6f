#include "worker/candidate.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "worker/arena.hpp"
#include "worker/hardware.hpp"
#include "worker/processor.hpp"
#include "worker/results.hpp"

namespace {

// Error text of a candidate that uses kbench's small header and so does not load libtvm_ffi. The
// name is tvm-ffi's: the header looks it up as a weak symbol, and finds it here.
std::array<char, kbench::worker::message_bytes> raised_message;

}  // namespace

extern "C" __attribute__((visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(
    const char* kind, const char* message) {
  std::snprintf(raised_message.data(), raised_message.size(), "%s: %s", kind, message);
}

namespace kbench::worker {
namespace {

// Finds a tensor and waits for its first element, as any kernel has to before it can begin: that,
// too, belongs to the cost of an empty call. `self`: the first argument is a tensor that has one.
[[gnu::noinline]] int take_apart(void* self, const TVMFFIAny* arguments, std::int32_t /*count*/,
                                 TVMFFIAny* /*result*/) {
  if (self != nullptr) {
    const auto* const tensor = static_cast<const DLTensor*>(arguments[0].v_ptr);
    const char first = *static_cast<const char*>(tensor->data);
    asm volatile("" : : "r"(first));
  }
  return 0;
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "f" would be float
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = text != nullptr ? text : symbol;
  std::free(text);
  return name;
}

}  // namespace

struct Candidate::State {
  Control& control;
  Hardware& hardware;
  std::vector<DLTensor> tensors;
  std::vector<std::byte*> first;  // addresses of the tensors before any move
  std::vector<TVMFFIAny> arguments;
  std::vector<MappedTensor> inputs;
  std::vector<MappedTensor> outputs;
  EntryPoint entry{};
  EntryPoint null{&take_apart};  // called in the same way
  TVMFFIAny result{};

  void add(Argument& argument, const MappedTensor& memory) {
    TVMFFIAny any{};
    switch (argument.kind) {
      case ArgumentKind::integer:
        any.type_index = kTVMFFIInt;
        any.v_int64 = argument.integer;
        break;
      case ArgumentKind::boolean:
        any.type_index = kTVMFFIBool;
        any.v_int64 = argument.integer;
        break;
      case ArgumentKind::number:
        any.type_index = kTVMFFIFloat;
        any.v_float64 = argument.number;
        break;
      case ArgumentKind::tensor: {
        DLTensor& tensor = tensors.emplace_back();
        first.push_back(memory.seen != nullptr ? static_cast<std::byte*>(memory.seen)
                                               : memory.data);
        tensor = {first.back(),
                  hardware.device(),
                  argument.rank,
                  {argument.dlpack_code, argument.bits, argument.lanes},
                  argument.shape,
                  nullptr,
                  0};
        any.type_index = kTVMFFIDLTensorPtr;
        any.v_ptr = &tensor;
        break;
      }
    }
    arguments.push_back(any);
  }

  // Calls both the candidate and the null function: they differ by the function alone.
  [[gnu::noinline]] bool call(const EntryPoint& function) {
    if (result.type_index != kTVMFFINone) release_result();
    reset_arithmetic_mode();
    const int failed = function.call(function.self, arguments.data(),
                                     static_cast<std::int32_t>(arguments.size()), &result);
    if (function.emulate != nullptr) function.emulate(nullptr, 0, UINT64_MAX);
    return failed == 0;
  }

  // Tells it the inputs, and the outputs that are passed.
  void tell_emulation() const {
    std::vector<EmulatedRegion> regions;
    const auto add = [&](const MappedTensor& tensor, const Argument& argument, bool is_writable) {
      if (argument.kind == ArgumentKind::tensor)
        regions.push_back({tensor.data, argument.bytes, argument.name, is_writable ? 3 : 2});
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
      add(inputs[i], control.inputs[i], control.inputs[i].is_scratch != 0);
    const std::size_t passed = control.destination_passing != 0 ? outputs.size() : 0;
    for (std::size_t i = 0; i < passed; ++i) add(outputs[i], control.outputs[i], true);
    entry.emulate(regions.data(), regions.size(), control.emulation_seed);
  }

  void release_result() {
    if (result.type_index >= kTVMFFIStaticObjectBegin && entry.release != nullptr)
      entry.release(result.v_obj);
    result = {};
  }
};

Candidate::Candidate(Control& control, const std::vector<MappedTensor>& inputs,
                     const std::vector<MappedTensor>& outputs, Hardware& hardware)
    : state_(new State{control, hardware, {}, {}, {}, inputs, outputs}) {
  Arena::instance().serve(control, hardware);
  state_->tensors.reserve(std::size_t{2} * max_arguments);  // the arguments point into it
  const bool has_first = !inputs.empty() && inputs.front().bytes > 0;
  if (has_first && !hardware.has_own_memory()) state_->null.self = state_.get();
  for (std::size_t i = 0; i < inputs.size(); ++i) state_->add(control.inputs[i], inputs[i]);
  if (control.destination_passing == 0) return;
  for (std::size_t i = 0; i < outputs.size(); ++i) state_->add(control.outputs[i], outputs[i]);
}

Candidate::~Candidate() = default;

void say(Control& control, Answer answer, const std::string& message) {
  control.answer = answer;
  std::snprintf(control.message, sizeof control.message, "%s", message.c_str());
}

std::string load_error(const std::string& message, const std::string& library) {
  constexpr std::string_view unresolved = ": undefined symbol: ";
  if (const std::size_t at = message.find(unresolved); at != std::string::npos) {
    const std::size_t begin = at + unresolved.size();
    const std::string symbol = message.substr(begin, message.find_first_of(", \n", begin) - begin);
    return "undefined symbol " + demangled(symbol);
  }
  const bool has_path = message.starts_with(library + ": ");
  return has_path ? message.substr(library.size() + 2) : message;
}

void say_load_failed(Control& control, const std::string& message) {
  say(control, Answer::load_failed, load_error(message, control.library));
}

std::optional<EntryPoint> load_library(Control& control) {
  void* const library = ::dlopen(control.library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say_load_failed(control, ::dlerror());
    return std::nullopt;
  }
  const auto symbol = [library]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(library, name));
    return function != nullptr;
  };
  if (control.is_kernel != 0) {
    auto kernel = emulated_kernel(library, control);
    if (kernel) kernel->emulate = emulation_call(library);
    return kernel;
  }
  EntryPoint entry{};
  entry.emulate = emulation_call(library);
  const std::string name = std::string("__tvm_ffi_") + control.symbol;
  if (!symbol(entry.call, name.c_str())) {
    say_load_failed(control, std::string("entry point '") + control.symbol +
                                 "' not found: the library has no symbol " + name);
    return std::nullopt;
  }
  const std::string prepare = std::string("__tvm_ffi_") + control.prepare;
  if (control.prepare[0] != '\0' && !symbol(entry.prepare, prepare.c_str())) {
    say_load_failed(control, std::string("prepare '") + control.prepare +
                                 "' not found: the library has no symbol " + prepare);
    return std::nullopt;
  }
  symbol(entry.release, "TVMFFIObjectDecRef");
  symbol(entry.take_error, "TVMFFIErrorMoveFromRaised");
  int (*set_allocator)(DLPackManagedTensorAllocator, int, DLPackManagedTensorAllocator*) = nullptr;
  if (symbol(set_allocator, "TVMFFIEnvSetDLPackManagedTensorAllocator"))
    set_allocator(&allocate_tensor, 1, nullptr);
  return entry;
}

bool Candidate::load(const Loader& loader) {
  const auto entry = loader(state_->control);
  if (entry) state_->entry = *entry;
  return entry.has_value();
}

bool Candidate::prepare() {
  State& s = *state_;
  if (s.entry.prepare == nullptr) return true;
  std::vector<DLTensor> tensors = s.tensors;
  std::vector<TVMFFIAny> arguments = s.arguments;
  std::size_t tensor = 0;
  for (TVMFFIAny& argument : arguments) {
    if (argument.type_index != kTVMFFIDLTensorPtr) continue;
    tensors[tensor].data = nullptr;
    argument.v_ptr = &tensors[tensor++];
  }
  reset_arithmetic_mode();
  const auto count = static_cast<std::int32_t>(arguments.size());
  const bool good = s.entry.prepare(s.entry.self, arguments.data(), count, &s.result) == 0;
  s.release_result();
  return good;
}

void Candidate::move_tensors(std::size_t bytes) {
  State& s = *state_;
  for (std::size_t i = 0; i < s.tensors.size(); ++i) s.tensors[i].data = s.first[i] + bytes;
}

void Candidate::begin(bool is_judged) {
  State& s = *state_;
  move_tensors(0);
  for (int i = 0; i < s.control.input_count; ++i) {
    const Argument& argument = s.control.inputs[i];
    TVMFFIAny& any = s.arguments[static_cast<std::size_t>(i)];
    if (argument.kind == ArgumentKind::number) any.v_float64 = argument.number;
    if (argument.kind == ArgumentKind::integer || argument.kind == ArgumentKind::boolean)
      any.v_int64 = argument.integer;
  }
  if (s.control.destination_passing != 0) {
    for (const MappedTensor& output : s.outputs) allow_writes(output.pages, true);
  } else {
    s.release_result();
    Arena::instance().begin(is_judged);
  }
  if (s.entry.emulate != nullptr) s.tell_emulation();
}

bool Candidate::call() { return state_->call(state_->entry); }

bool Candidate::call_null() { return state_->call(state_->null); }

void Candidate::leave_caches() {
  for (const auto* tensors : {&state_->inputs, &state_->outputs})
    for (const MappedTensor& tensor : *tensors) worker::leave_caches(tensor.data, tensor.bytes);
}

void Candidate::describe_error() {
  State& s = *state_;
  if (raised_message[0] != '\0') {
    say(s.control, Answer::call_failed, raised_message.data());
    raised_message[0] = '\0';
    return;
  }
  TVMFFIObjectHandle error = nullptr;
  if (s.entry.take_error != nullptr) s.entry.take_error(&error);
  if (error == nullptr) {
    say(s.control, Answer::call_failed, "the call returned an error without a message");
    return;
  }
  const TVMFFIErrorCell& cell = *TVMFFIErrorGetCellPtr(error);
  say(s.control, Answer::call_failed,
      std::string(cell.kind.data, cell.kind.size) + ": " +
          std::string(cell.message.data, cell.message.size));
}

bool Candidate::finish_calls() {
  State& s = *state_;
  if (s.control.destination_passing != 0) {
    for (const MappedTensor& output : s.outputs) allow_writes(output.pages, false);
    return true;
  }
  const std::string why = worker::collect_results(s.result, s.control, s.outputs, s.hardware);
  // Hardware that failed has said so itself.
  if (!why.empty() && s.control.answer == Answer::none) say(s.control, Answer::wrong_results, why);
  return why.empty();
}

bool call_once(Control& control, Candidate& candidate) {
  ++control.calls;
  return candidate.call();
}

}  // namespace kbench::worker
