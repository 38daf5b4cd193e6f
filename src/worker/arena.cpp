#include "worker/arena.hpp"

#include <unistd.h>

namespace kbench::worker {
namespace {

std::uint64_t pattern_for(const Control& control, DLDataType type) {
  for (int i = 0; i < control.output_count; ++i) {
    const Argument& output = control.outputs[i];
    if (output.dlpack_code == type.code && output.bits == type.bits) return control.patterns[i];
  }
  return control.patterns[0];
}

void describe(Arena::Block& block, const DLTensor& prototype) {
  const auto rank = static_cast<std::size_t>(prototype.ndim);
  std::vector<std::int64_t>& numbers = block.shape_and_strides;
  numbers.assign(prototype.shape, prototype.shape + rank);
  numbers.resize(2 * rank);
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    numbers[rank + i] = stride;
    stride *= numbers[i];
  }
  block.tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  block.tensor.manager_ctx = &block;
  block.tensor.deleter = [](DLManagedTensorVersioned* self) {
    Arena::instance().give_back(*static_cast<Arena::Block*>(self->manager_ctx));
  };
  block.tensor.dl_tensor = {block.data(),
                            prototype.device,
                            prototype.ndim,
                            prototype.dtype,
                            numbers.data(),
                            numbers.data() + rank,
                            0};
}

}  // namespace

Arena& Arena::instance() {
  static Arena arena;
  return arena;
}

void Arena::begin(bool always) {
  const std::scoped_lock lock(mutex_);
  ++command_;
  always_ = always;
  for (Block& block : blocks_) {
    if (!block.returned) continue;
    allow_writes(block.pages, true);
    fill(block, block.tensor.dl_tensor.dtype);
  }
}

Arena::Block* Arena::take(std::size_t bytes, DLDataType type) {
  const std::scoped_lock lock(mutex_);
  std::vector<Block*>& left = free_[bytes];
  Block* block = left.empty() ? make(bytes) : left.back();
  if (block == nullptr) {
    control_->out_of_memory = 1;
    return nullptr;
  }
  if (!left.empty()) left.pop_back();
  if (always_ || block->filled_in != command_) fill(*block, type);
  return block;
}

// Guards need whole pages; without them a tensor is aligned as frameworks do, between margins.
Placement Arena::placement(std::size_t bytes) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (!hardware_->has_own_memory()) return kbench::among_pages(bytes, page);
  constexpr std::size_t margin = 512;
  return {(margin + bytes + margin + page - 1) / page * page, margin};
}

Arena::Block* Arena::make(std::size_t bytes) {
  const Placement place = placement(bytes);
  const Pages pages = map_private(place.size);
  if (pages.begin == nullptr) return nullptr;
  std::byte* const seen =
      hardware_->has_own_memory() ? hardware_->allocate(place.size) : pages.begin;
  if (seen == nullptr) return nullptr;
  Block& block = blocks_.emplace_back();
  block.pages = pages;
  block.seen = seen;
  block.place = place;
  block.bytes = bytes;
  if (blocks_.size() <= max_allocations) {
    control_->allocations[blocks_.size() - 1] = {reinterpret_cast<std::uint64_t>(block.data()),
                                                 bytes};
  }
  return &block;
}

void Arena::fill(Block& block, DLDataType type) {
  block.filled_in = command_;
  block.margin = control_->margin;
  open_all(block.pages);
  poison(block.pages.begin, block.place, block.bytes, pattern_for(*control_, type), block.margin);
  if (hardware_->has_own_memory())
    hardware_->put(block.seen, block.pages.begin, block.place.size);
  else
    close_around(block.pages, block.data(), block.bytes);
}

bool Arena::bring(Block& block) {
  allow_writes(block.pages, true);
  const bool is_there = hardware_->bring(block.pages.begin, block.seen, block.place.size);
  allow_writes(block.pages, !block.returned);
  return is_there;
}

void Arena::give_back(Block& block) {
  const std::scoped_lock lock(mutex_);
  if (block.returned) allow_writes(block.pages, true);
  block.returned = false;
  free_[block.bytes].push_back(&block);
}

Arena::Block* Arena::find(const void* address) {
  const std::scoped_lock lock(mutex_);
  const auto* const place = static_cast<const std::byte*>(address);
  for (Block& block : blocks_)
    if (place >= block.seen && place < block.seen + block.place.size) return &block;
  return nullptr;
}

void Arena::protect(Block& block) {
  block.returned = true;
  allow_writes(block.pages, false);
}

bool Arena::is_margin_whole(const Block& block) {
  return kbench::is_margin_whole(block.pages.begin, block.place, block.bytes, block.margin);
}

int allocate_tensor(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*)) {
  const bool is_here = Arena::instance().device().device_type == kDLCPU;
  if (prototype->device.device_type != Arena::instance().device().device_type) {
    set_error(context, "ValueError",
              is_here ? "kbench allocates tensors in the CPU's memory alone"
                      : "kbench allocates tensors in the GPU's memory alone");
    return -1;
  }
  const auto bytes = byte_count(*prototype);
  Arena::Block* block = bytes ? Arena::instance().take(*bytes, prototype->dtype) : nullptr;
  if (block == nullptr) {
    set_error(context, "MemoryError", "out of memory");
    return -1;
  }
  describe(*block, *prototype);
  *out = &block->tensor;
  return 0;
}

std::optional<std::size_t> byte_count(const DLTensor& tensor) {
  std::size_t bits = static_cast<std::size_t>(tensor.dtype.bits) * tensor.dtype.lanes;
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] < 0 ||
        __builtin_mul_overflow(bits, static_cast<std::size_t>(tensor.shape[i]), &bits)) {
      return std::nullopt;
    }
  }
  constexpr std::size_t most = std::size_t{1} << 62;
  return bits < most ? std::optional(bits / 8 + (bits % 8 != 0)) : std::nullopt;
}

}  // namespace kbench::worker
