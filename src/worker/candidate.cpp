#include "worker/candidate.hpp"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

namespace {

// The error of a candidate that uses kbench's small header and so does not load libtvm_ffi. The
// name is tvm-ffi's: the header looks it up as a weak symbol, and finds it here.
std::array<char, kbench::worker::message_bytes> raised_message;

}  // namespace

extern "C" __attribute__((visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(
    const char* kind, const char* message) {
  std::snprintf(raised_message.data(), raised_message.size(), "%s: %s", kind, message);
}

namespace kbench::worker {
namespace {

using EntryPoint = int (*)(void* self, const TVMFFIAny* arguments, std::int32_t count,
                           TVMFFIAny* result);

void say(Control& control, Answer answer, const std::string& message) {
  control.answer = answer;
  std::snprintf(control.message, sizeof control.message, "%s", message.c_str());
}

// What value-returning candidates allocate their results with.
int allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
             void (*set_error)(void*, const char*, const char*)) {
  std::size_t bytes =
      (static_cast<std::size_t>(prototype->dtype.bits) * prototype->dtype.lanes + 7) / 8;
  for (int i = 0; i < prototype->ndim; ++i) bytes *= static_cast<std::size_t>(prototype->shape[i]);
  auto* tensor =
      static_cast<DLManagedTensorVersioned*>(std::calloc(1, sizeof(DLManagedTensorVersioned)));
  const auto rank = static_cast<std::size_t>(prototype->ndim);
  auto* shape = static_cast<std::int64_t*>(std::malloc((2 * rank + 1) * sizeof(std::int64_t)));
  void* data = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (tensor == nullptr || shape == nullptr || data == nullptr) {
    set_error(context, "MemoryError", "out of memory");
    return -1;
  }
  std::memcpy(shape, prototype->shape, rank * sizeof(std::int64_t));
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    shape[rank + i] = stride;
    stride *= shape[i];
  }
  tensor->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor->dl_tensor = *prototype;
  tensor->dl_tensor.data = data;
  tensor->dl_tensor.byte_offset = 0;
  tensor->dl_tensor.shape = shape;
  tensor->dl_tensor.strides = shape + rank;
  tensor->deleter = [](DLManagedTensorVersioned* self) {
    std::free(self->dl_tensor.data);
    std::free(self->dl_tensor.shape);
    std::free(self);
  };
  *out = tensor;
  return 0;
}

const DLTensor* tensor_of(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFIDLTensorPtr) return static_cast<const DLTensor*>(value.v_ptr);
  if (value.type_index != kTVMFFITensor) return nullptr;
  return reinterpret_cast<const DLTensor*>(reinterpret_cast<const char*>(value.v_obj) +
                                           sizeof(TVMFFIObject));
}

// A single result, or the elements of a returned tuple.
std::span<const TVMFFIAny> elements_of(const TVMFFIAny& result) {
  if (result.type_index == kTVMFFINone) return {};
  if (result.type_index != kTVMFFIArray) return {&result, 1};
  const auto* sequence = reinterpret_cast<const TVMFFISeqCell*>(
      reinterpret_cast<const char*>(result.v_obj) + sizeof(TVMFFIObject));
  return {static_cast<const TVMFFIAny*>(sequence->data), static_cast<std::size_t>(sequence->size)};
}

bool is_contiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

std::size_t byte_count(const DLTensor& tensor) {
  std::size_t bits = static_cast<std::size_t>(tensor.dtype.bits) * tensor.dtype.lanes;
  for (int i = 0; i < tensor.ndim; ++i) bits *= static_cast<std::size_t>(tensor.shape[i]);
  return (bits + 7) / 8;
}

}  // namespace

struct Candidate::State {
  Control& control;
  std::vector<DLTensor> tensors;
  std::vector<TVMFFIAny> arguments;
  std::vector<MappedTensor> outputs;
  void* library = nullptr;
  EntryPoint entry = nullptr;
  TVMFFIAny result{};
  int (*release)(TVMFFIObjectHandle) = nullptr;

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
        tensor = {memory.data,
                  {kDLCPU, 0},
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

  void release_result() {
    if (result.type_index >= kTVMFFIStaticObjectBegin && release != nullptr) release(result.v_obj);
    result = {};
  }
};

Candidate::Candidate(Control& control, const std::vector<MappedTensor>& inputs,
                     const std::vector<MappedTensor>& outputs)
    : state_(new State{control, {}, {}, outputs, nullptr, nullptr, {}, nullptr}) {
  state_->tensors.reserve(2 * max_arguments);  // the arguments point into it
  for (std::size_t i = 0; i < inputs.size(); ++i) state_->add(control.inputs[i], inputs[i]);
  if (control.destination_passing == 0) return;
  for (std::size_t i = 0; i < outputs.size(); ++i) state_->add(control.outputs[i], outputs[i]);
}

Candidate::~Candidate() = default;

bool Candidate::load() {
  State& s = *state_;
  s.library = ::dlopen(s.control.library, RTLD_NOW | RTLD_LOCAL);
  if (s.library == nullptr) {
    say(s.control, Answer::load_failed, ::dlerror());
    return false;
  }
  const std::string name = std::string("__tvm_ffi_") + s.control.symbol;
  s.entry = reinterpret_cast<EntryPoint>(::dlsym(s.library, name.c_str()));
  if (s.entry == nullptr) {
    say(s.control, Answer::load_failed,
        std::string("entry point '") + s.control.symbol +
            "' not found: the library has no symbol " + name);
    return false;
  }
  s.release =
      reinterpret_cast<int (*)(TVMFFIObjectHandle)>(::dlsym(s.library, "TVMFFIObjectDecRef"));
  using SetAllocator = int (*)(DLPackManagedTensorAllocator, int, DLPackManagedTensorAllocator*);
  if (auto set = reinterpret_cast<SetAllocator>(
          ::dlsym(s.library, "TVMFFIEnvSetDLPackManagedTensorAllocator"))) {
    set(&allocate, 1, nullptr);
  }
  return true;
}

void Candidate::refresh_scalars() {
  State& s = *state_;
  for (int i = 0; i < s.control.input_count; ++i) {
    const Argument& argument = s.control.inputs[i];
    TVMFFIAny& any = s.arguments[static_cast<std::size_t>(i)];
    if (argument.kind == ArgumentKind::number) any.v_float64 = argument.number;
    if (argument.kind == ArgumentKind::integer || argument.kind == ArgumentKind::boolean) {
      any.v_int64 = argument.integer;
    }
  }
}

bool Candidate::call() {
  State& s = *state_;
  if (s.result.type_index != kTVMFFINone) s.release_result();
  return s.entry(nullptr, s.arguments.data(), static_cast<std::int32_t>(s.arguments.size()),
                 &s.result) == 0;
}

void Candidate::describe_error() {
  State& s = *state_;
  if (raised_message[0] != '\0') {
    say(s.control, Answer::call_failed, raised_message.data());
    raised_message[0] = '\0';
    return;
  }
  TVMFFIObjectHandle error = nullptr;
  if (auto take = reinterpret_cast<void (*)(TVMFFIObjectHandle*)>(
          ::dlsym(s.library, "TVMFFIErrorMoveFromRaised"))) {
    take(&error);
  }
  if (error == nullptr) {
    say(s.control, Answer::call_failed, "the call returned an error without a message");
    return;
  }
  const TVMFFIErrorCell& cell = *TVMFFIErrorGetCellPtr(error);
  say(s.control, Answer::call_failed,
      std::string(cell.kind.data, cell.kind.size) + ": " +
          std::string(cell.message.data, cell.message.size));
}

bool Candidate::collect_results() {
  State& s = *state_;
  const auto elements = elements_of(s.result);
  if (elements.size() != static_cast<std::size_t>(s.control.output_count)) {
    say(s.control, Answer::wrong_results,
        "returned " + std::to_string(elements.size()) + " values, " +
            std::to_string(s.control.output_count) + " outputs are declared");
    return false;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const DLTensor* tensor = tensor_of(elements[i]);
    if (tensor == nullptr || tensor->device.device_type != kDLCPU || tensor->ndim > max_rank ||
        !is_contiguous(*tensor)) {
      say(s.control, Answer::wrong_results,
          "result " + std::to_string(i) + " is no contiguous tensor of at most 8 axes on the CPU");
      return false;
    }
    Argument& out = s.control.results[i];
    out.kind = ArgumentKind::tensor;
    out.dlpack_code = tensor->dtype.code;
    out.bits = tensor->dtype.bits;
    out.lanes = tensor->dtype.lanes;
    out.rank = tensor->ndim;
    std::memcpy(out.shape, tensor->shape,
                static_cast<std::size_t>(tensor->ndim) * sizeof(std::int64_t));
    out.bytes = byte_count(*tensor);
    // A result of another size is judged by its shape or dtype alone.
    if (out.bytes == s.control.outputs[i].bytes && out.bytes > 0) {
      std::memcpy(s.outputs[i].data, static_cast<const char*>(tensor->data) + tensor->byte_offset,
                  out.bytes);
    }
  }
  return true;
}

}  // namespace kbench::worker
