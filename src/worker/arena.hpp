// Memory that a candidate gets from its host through TVMFFIEnvTensorAlloc, for its results. It is
// poisoned and guarded as passed outputs are (problem/tensor_view.hpp).
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

// Keeps memory that is given back for the next tensor of as many bytes, as frameworks do: a timed
// call pays for no system call.
class Arena {
 public:
  struct Block {
    Pages pages;                // the host's
    std::byte* seen = nullptr;  // the candidate's address: the pages', or in the hardware's memory
    Placement place;
    std::size_t bytes = 0;
    std::uint64_t filled_in = 0;  // command in which it was last poisoned
    std::byte margin{};           // byte that surrounded it then
    bool returned = false;        // handed to the host as a result, not given back since
    DLManagedTensorVersioned tensor{};
    std::vector<std::int64_t> shape_and_strides;

    std::byte* data() const { return seen + place.data; }
    std::byte* host_data() const { return pages.begin + place.data; }
  };

  // Returns the arena of the process's one candidate. `control` and `hardware` outlive it.
  static Arena& instance();
  void serve(Control& control, Hardware& hardware) {
    control_ = &control;
    hardware_ = &hardware;
  }
  DLDevice device() const { return hardware_->device(); }

  // Begins a command. Memory is poisoned when it is first given out in a command, and with `always`
  // each time. Results that the candidate returned before and still holds are poisoned at once: a
  // result belongs to the host.
  void begin(bool always);

  // Returns nullptr when memory is out, which the judge hears of, too.
  Block* take(std::size_t bytes, DLDataType type);
  void give_back(Block& block);

  // Returns the block that `address` points into; nullptr for memory that is not ours.
  Block* find(const void* address);
  // Write-protects a returned block: until begin(), a write to it is a fault.
  void protect(Block& block);
  static bool is_margin_whole(const Block& block);
  // Copies the block to its host pages, where the hardware has memory of its own.
  bool bring(Block& block);

 private:
  Block* make(std::size_t bytes);
  Placement placement(std::size_t bytes) const;
  void fill(Block& block, DLDataType type);

  Control* control_ = nullptr;
  Hardware* hardware_ = nullptr;
  std::mutex mutex_;  // candidates allocate on threads, too
  std::deque<Block> blocks_;
  std::unordered_map<std::size_t, std::vector<Block*>> free_;  // key: bytes
  std::uint64_t command_ = 0;
  bool always_ = true;
};

// Allocator with the signature of DLPack's.
int allocate_tensor(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*));

// Returns the bytes of a tensor without gaps; nothing when no memory could hold it.
std::optional<std::size_t> byte_count(const DLTensor& tensor);

}  // namespace kbench::worker
