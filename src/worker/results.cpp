#include "worker/results.hpp"

#include <dlpack/dlpack.h>

#include <cstring>
#include <optional>
#include <span>

#include "worker/arena.hpp"

namespace kbench::worker {
namespace {

// Returns a single result, or the elements of a returned tuple or list.
std::span<const TVMFFIAny> elements_of(const TVMFFIAny& result) {
  if (result.type_index == kTVMFFINone) return {};
  if (result.type_index != kTVMFFIArray && result.type_index != kTVMFFIList) return {&result, 1};
  const auto* sequence = reinterpret_cast<const TVMFFISeqCell*>(
      reinterpret_cast<const char*>(result.v_obj) + sizeof(TVMFFIObject));
  return {static_cast<const TVMFFIAny*>(sequence->data), static_cast<std::size_t>(sequence->size)};
}

const DLTensor* tensor_of(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFIDLTensorPtr) return static_cast<const DLTensor*>(value.v_ptr);
  if (value.type_index != kTVMFFITensor) return nullptr;
  return reinterpret_cast<const DLTensor*>(reinterpret_cast<const char*>(value.v_obj) +
                                           sizeof(TVMFFIObject));
}

bool describe_number(const TVMFFIAny& value, Argument& out) {
  out = {};
  switch (value.type_index) {
    case kTVMFFIInt:
      out.kind = ArgumentKind::integer;
      out.integer = value.v_int64;
      return true;
    case kTVMFFIBool:
      out.kind = ArgumentKind::boolean;
      out.integer = value.v_int64;
      return true;
    case kTVMFFIFloat:
      out.kind = ArgumentKind::number;
      out.number = value.v_float64;
      return true;
    default:
      return false;
  }
}

std::string describe_tensor(const DLTensor& tensor, DLDevice device, Argument& out) {
  if (tensor.device.device_type != device.device_type) {
    return std::string("is not in the ") + (device.device_type == kDLCPU ? "CPU" : "GPU") +
           "'s memory: its device type is " + std::to_string(tensor.device.device_type);
  }
  if (tensor.ndim < 0 || tensor.ndim > max_rank) {
    return "has " + std::to_string(tensor.ndim) + " axes, at most " + std::to_string(max_rank) +
           " are supported";
  }
  const auto bytes = byte_count(tensor);
  if (!bytes) return "has a shape that no memory can hold";
  out = {};
  out.kind = ArgumentKind::tensor;
  out.dlpack_code = tensor.dtype.code;
  out.bits = tensor.dtype.bits;
  out.lanes = tensor.dtype.lanes;
  out.rank = tensor.ndim;
  for (int i = 0; i < tensor.ndim; ++i) out.shape[i] = tensor.shape[i];
  out.bytes = *bytes;
  return "";
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

// Bytes that a tensor's elements take, counted from its first one: [low, high). Nothing when its
// strides lead out of any address space.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
std::optional<Extent> extent_of(const DLTensor& tensor, std::int64_t element) {
  constexpr std::int64_t most = std::int64_t{1} << 47;
  Extent out{0, element};
  for (int i = 0; i < tensor.ndim; ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach) ||
        __builtin_mul_overflow(reach, element, &reach) || reach < -most || reach > most) {
      return std::nullopt;
    }
    (reach < 0 ? out.low : out.high) += reach;
  }
  return out;
}

// Copies element by element, the last axis innermost; `to` moves on.
void gather(const DLTensor& tensor, int axis, const std::byte* from, std::size_t element,
            std::byte*& to) {
  if (axis == tensor.ndim) {
    std::memcpy(to, from, element);
    to += element;
    return;
  }
  const std::int64_t step = tensor.strides[axis] * static_cast<std::int64_t>(element);
  for (std::int64_t i = 0; i < tensor.shape[axis]; ++i)
    gather(tensor, axis + 1, from + i * step, element, to);
}

// Returns where the worker can read the candidate's bytes at `from`, in the arena's `block` or
// elsewhere; nullptr where it cannot. `copy` keeps them.
const std::byte* readable(const std::byte* from, const Extent& extent, Arena::Block* block,
                          Hardware& hardware, std::vector<std::byte>& copy) {
  if (!hardware.has_own_memory()) return from;
  if (block != nullptr)
    return Arena::instance().bring(*block) ? block->host_data() + (from - block->data()) : nullptr;
  copy.resize(static_cast<std::size_t>(extent.high - extent.low));
  const bool is_there = hardware.bring(copy.data(), from + extent.low, copy.size());
  return is_there ? copy.data() - extent.low : nullptr;
}

// Copies a tensor to the output's memory. A block of the arena gets no writes from now on.
std::string copy_data(const DLTensor& tensor, std::size_t bytes, std::byte* to,
                      Hardware& hardware) {
  if (tensor.data == nullptr) return "has no data: a null pointer";
  const bool contiguous = is_contiguous(tensor);
  const int bits = tensor.dtype.bits * tensor.dtype.lanes;
  if (!contiguous && bits % 8 != 0) return "has strides, but its elements are no whole bytes";
  const auto extent =
      contiguous ? Extent{0, static_cast<std::int64_t>(bytes)} : extent_of(tensor, bits / 8);
  const std::byte* const from = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  Arena::Block* const block = Arena::instance().find(tensor.data);
  if (!extent || (block != nullptr && (from + extent->low < block->data() ||
                                       from + extent->high > block->data() + block->bytes))) {
    return "reaches beyond the memory it was allocated with";
  }
  if (block != nullptr) Arena::instance().protect(*block);
  std::vector<std::byte> copy;
  const std::byte* const data = readable(from, *extent, block, hardware, copy);
  if (data == nullptr) return "cannot be read";
  if (contiguous) {
    std::memcpy(to, data, bytes);
  } else {
    gather(tensor, 0, data, static_cast<std::size_t>(bits / 8), to);
  }
  return "";
}

bool is_overrun(const DLTensor& tensor) {
  const Arena::Block* const block = Arena::instance().find(tensor.data);
  return block != nullptr && !Arena::is_margin_whole(*block);
}

// Returns "" or what is wrong with result `i`.
std::string collect(const TVMFFIAny& value, int i, Control& control, std::byte* to,
                    Hardware& hardware) {
  Argument& out = control.results[i];
  const std::string name = "result " + std::to_string(i);
  const DLTensor* const tensor = tensor_of(value);
  if (tensor == nullptr && value.type_index == kTVMFFINone)
    return name + " is missing: the function returned nothing";
  if (tensor == nullptr)
    return describe_number(value, out) ? "" : name + " is neither a tensor nor a number";
  std::string why = describe_tensor(*tensor, hardware.device(), out);
  const bool same_size = why.empty() && out.bytes == control.outputs[i].bytes;
  if (same_size && out.bytes > 0) why = copy_data(*tensor, out.bytes, to, hardware);
  if (!why.empty()) return name + " " + why;
  return is_overrun(*tensor) ? "OUT_OF_BOUNDS: wrote beside " + name : "";
}

}  // namespace

std::string collect_results(const TVMFFIAny& result, Control& control,
                            const std::vector<MappedTensor>& outputs, Hardware& hardware) {
  const auto elements = elements_of(result);
  if (elements.size() != outputs.size()) {
    return "returned " + std::to_string(elements.size()) + " values, " +
           std::to_string(outputs.size()) + " outputs are declared";
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::string why = collect(elements[i], static_cast<int>(i), control, outputs[i].data, hardware);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace kbench::worker
