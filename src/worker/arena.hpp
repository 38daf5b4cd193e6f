// The memory that a candidate gets from its host through TVMFFIEnvTensorAlloc: what it returns its
// results in. Poisoned and guarded as outputs are that are passed in (problem/tensor_view.hpp).
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "problem/tensor_view.hpp"
#include "problem/worker_protocol.hpp"
#include "worker/hardware.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

// Memory that is given back is kept for the next tensor of as many bytes, as frameworks do: a timed
// call pays for no system call.
class Arena {
 public:
  struct Block {
    Pages pages;                // of the host
    std::byte* seen = nullptr;  // where the candidate has them: there, or in the hardware's memory
    Placement place;
    std::size_t bytes = 0;
    std::uint64_t filled_in = 0;  // the command in which it was last poisoned
    std::byte margin{};           // what it was surrounded with then
    bool returned = false;        // as a result, and not given back since
    DLManagedTensorVersioned tensor{};
    std::vector<std::int64_t> shape_and_strides;

    std::byte* data() const { return seen + place.data; }
    std::byte* host_data() const { return pages.begin + place.data; }
  };

  // For the process's one candidate; both outlive it.
  static Arena& instance();
  void serve(Control& control, Hardware& hardware) {
    control_ = &control;
    hardware_ = &hardware;
  }
  DLDevice device() const { return hardware_->device(); }

  // Before each command. Memory is poisoned when it is first given out in a command, and with
  // `always` each time. What the candidate returned before and still holds is poisoned at once: a
  // result belongs to the host.
  void begin(bool always);

  // nullptr when memory is out, which the judge hears of, too.
  Block* take(std::size_t bytes, DLDataType type);
  void give_back(Block& block);

  // The block that `address` points into; nullptr for memory that is not ours.
  Block* find(const void* address);
  // For what was returned: nobody writes to it any more, until begin() that is a fault.
  void protect(Block& block);
  static bool is_margin_whole(const Block& block);
  // For hardware with memory of its own: makes the block's pages what they are there.
  bool bring(Block& block);

 private:
  Block* make(std::size_t bytes);
  Placement placement(std::size_t bytes) const;
  void fill(Block& block, DLDataType type);

  Control* control_ = nullptr;
  Hardware* hardware_ = nullptr;
  std::mutex mutex_;  // candidates allocate on threads, too
  std::deque<Block> blocks_;
  std::unordered_map<std::size_t, std::vector<Block*>> free_;  // by their bytes
  std::uint64_t command_ = 0;
  bool always_ = true;
};

// The allocator as DLPack has it.
int allocate_tensor(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*));

// Bytes of a tensor without gaps; nothing when no memory could hold it.
std::optional<std::size_t> byte_count(const DLTensor& tensor);

}  // namespace kbench::worker
