#include "reference/torch/exact/arguments.hpp"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/simd.hpp"
#include "base/system.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

// Calls what(first, size) for each page of [begin, begin + bytes) that this process has a copy of
// its own of, because it wrote to it. Pages are whole: `begin` is a page's. All pages count where
// the kernel does not say.
template <class Function>
void for_each_written_page(const std::byte* begin, std::size_t bytes, Function what) {
  constexpr std::size_t page = 4096, batch = 4096;
  constexpr std::uint64_t has_content = std::uint64_t{3} << 62;  // page is in memory or swapped out
  constexpr std::uint64_t of_file = std::uint64_t{1} << 61;      // page is still the shared one
  const Fd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> entries(batch);
  for (std::size_t at = 0; at < bytes; at += batch * page) {
    const std::size_t count = std::min(batch, (bytes - at + page - 1) / page);
    const auto place = reinterpret_cast<std::uintptr_t>(begin + at) / page * sizeof(std::uint64_t);
    const auto wanted = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    const bool known = ::pread(pagemap.get(), entries.data(), static_cast<std::size_t>(wanted),
                               static_cast<off_t>(place)) == wanted;
    for (std::size_t i = 0; i < count; ++i) {
      if (known && ((entries[i] & has_content) == 0 || (entries[i] & of_file) != 0)) continue;
      const std::size_t first = at + i * page;
      what(first, std::min(page, bytes - first));
    }
  }
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  return static_cast<at::ScalarType>(info(dtype).scalar_type);
}

std::optional<DType> dtype_of(at::ScalarType type) {
  for (const DTypeInfo& row : dtypes())
    if (scalar_type(row.dtype) == type) return row.dtype;
  return std::nullopt;
}

PrivateInputs::PrivateInputs(Fd memory, const std::vector<ReferenceArgument>& arguments)
    : arguments_(arguments) {
  if (memory) original_ = SharedMemory::map_read_only(std::move(memory));
  for (const ReferenceArgument& argument : arguments) {
    if (argument.is_scalar) continue;
    if (argument.offset > original_.size() || argument.bytes > original_.size() - argument.offset)
      throw std::runtime_error("input " + argument.name + " lies outside the inputs' memory");
  }
  if (original_.size() == 0) return;
  void* copy = ::mmap(nullptr, original_.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE, original_.fd(), 0);
  if (copy == MAP_FAILED) fail_by_errno("mapping the inputs");
  copy_ = static_cast<std::byte*>(copy);
}

PrivateInputs::~PrivateInputs() {
  if (copy_ != nullptr) ::munmap(copy_, original_.size());
}

std::vector<const ReferenceArgument*> PrivateInputs::modified() const {
  std::vector<const ReferenceArgument*> out;
  for (const ReferenceArgument& argument : arguments_) {
    if (argument.is_scalar || argument.bytes == 0) continue;
    const std::byte *original = original_.data() + argument.offset, *copy = data(argument);
    bool differs = false;
    for_each_written_page(copy, argument.bytes, [&](std::size_t first, std::size_t size) {
      differs = differs || std::memcmp(original + first, copy + first, size) != 0;
    });
    if (differs) out.push_back(&argument);
  }
  return out;
}

void PrivateInputs::restore(const std::vector<const ReferenceArgument*>& arguments) const {
  for (const ReferenceArgument* argument : arguments)
    std::memcpy(data(*argument), original_.data() + argument->offset, argument->bytes);
}

namespace {

c10::IValue scalar_value(const ReferenceArgument& argument) {
  return std::visit(
      [&](auto value) -> c10::IValue {
        switch (info(argument.dtype).kind) {
          case DTypeKind::floating:
            return static_cast<double>(value);
          case DTypeKind::integer:
            return static_cast<std::int64_t>(value);
          case DTypeKind::boolean:
            return static_cast<bool>(value);
        }
        return {};
      },
      argument.scalar);
}

// SplitMix64's finaliser (Steele, Lea and Flood 2014), which turns a counter into random bits.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Multiplies each value by 1 + δ, δ uniform in (-size, size). Elements are counted from `first`.
KBENCH_SIMD void perturb(std::span<double> values, double size, std::uint64_t first) {
  constexpr std::uint64_t one = 0x3FF0000000000000;  // bits of 1.0; 52 of a fraction follow
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double uniform = std::bit_cast<double>(one | mixed(first + i) >> 12);  // lies in [1, 2)
    values[i] *= 1 + size * (2 * uniform - (3 - 0x1p-52));
  }
}

std::uint64_t key_of(const ExactInputs& how, std::uint64_t place) {
  return mixed(mixed(how.run) + place);
}

// Widens to float64, and perturbs block by block while it is in the cache.
at::Tensor exact_tensor(const ReferenceArgument& argument, const at::Tensor& native,
                        const ExactInputs& how, std::uint64_t place) {
  at::Tensor wide = at::empty(native.sizes(), at::kDouble);
  const auto* bytes = static_cast<const std::byte*>(native.const_data_ptr());
  const std::span all(wide.mutable_data_ptr<double>(), static_cast<std::size_t>(wide.numel()));
  const std::uint64_t key = key_of(how, place);
  for (std::size_t first = 0; first < all.size(); first += 4096) {
    const auto block = all.subspan(first, std::min<std::size_t>(4096, all.size() - first));
    decode(argument.dtype, bytes, first, block);
    if (how.perturbation > 0) perturb(block, how.perturbation, key + first);
  }
  return wide;
}

}  // namespace

c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs) {
  if (argument.is_scalar) return scalar_value(argument);
  std::vector<std::int64_t> shape = argument.shape;
  if (argument.dtype == DType::float4_e2m1 && !shape.empty()) shape.back() /= 2;
  const auto options =
      at::TensorOptions().dtype(argument.is_double ? at::kDouble : scalar_type(argument.dtype));
  if (argument.bytes == 0) return at::empty(shape, options);
  return at::from_blob(inputs.data(argument), shape, options);
}

std::vector<c10::IValue> native_arguments(const std::vector<ReferenceArgument>& arguments,
                                          const PrivateInputs& inputs) {
  std::vector<c10::IValue> values;
  for (const ReferenceArgument& argument : arguments)
    values.push_back(native_argument(argument, inputs));
  return values;
}

bool is_widened(const ReferenceArgument& argument) {
  return !argument.is_scalar && is_float_of_torch(argument.dtype);
}

void perturb(at::Tensor& tensor, const ExactInputs& how, std::uint64_t place) {
  const std::span all(tensor.mutable_data_ptr<double>(), static_cast<std::size_t>(tensor.numel()));
  perturb(all, how.perturbation, key_of(how, place));
}

std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how) {
  std::vector<c10::IValue> values;
  for (const ReferenceArgument& argument : arguments) {
    values.push_back(native_argument(argument, inputs));
    if (!is_widened(argument)) continue;
    values.back() = exact_tensor(argument, values.back().toTensor(), how, values.size());
  }
  return values;
}

}  // namespace kbench
