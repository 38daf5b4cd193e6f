// Memory that a kernel may access: pieces with a name, and shadows that say which bytes were
// written and who accessed them last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbench_emulation {

// Record of a word's last accessor: run of a block << 32 | moment << 17 | volatile << 16 | atomic
// << 15 | thread << 4 | bytes. A volatile write to global memory is atomic, too, and has its own
// bit only where its thread has come to no fence. A run is one execution of a block, a moment the
// span between two events by which threads of the block wait for each other. `thread` may be one of
// the two kinds of "several".
using Record = std::uint64_t;
constexpr Record atomic_bit = Record{1} << 15, volatile_bit = Record{1} << 16;
constexpr std::uint32_t most_moments = 0x7ff0;
constexpr unsigned several_of_warp = 1024,
                   several = 2047;  // the first of its kind, plus the warp's number
constexpr Record make_record(std::uint32_t run, std::uint32_t moment, unsigned thread) {
  return Record{run} << 32 | Record{moment} << 17 | Record{thread} << 4;
}
constexpr std::uint32_t run_of(Record r) { return static_cast<std::uint32_t>(r >> 32); }
constexpr std::uint32_t moment_of(Record r) { return r >> 17 & 0x7fff; }
constexpr unsigned thread_of(Record r) { return r >> 4 & 0x7ff; }
constexpr unsigned bytes_of(Record r) { return r & 15; }

// Records of the last write and the last read of four bytes.
struct Cell {
  Record write, read;
};

struct Region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  // Bitmap, one bit a byte, four a word; null: all written. Four more say that their first write is
  // an atomic one, which nothing may order before a read.
  std::uint8_t* written = nullptr;
  Cell* cells = nullptr;  // null where only reads are allowed
  const char* name = "";
  bool is_shared = false;
  bool is_of_device = false;  // out of the host's reach
  int access = 0;             // mprotect's flags for a tensor's pages while they are not shut

  bool holds(std::uintptr_t address, std::size_t size) const {
    const std::uintptr_t at = address - begin;
    return at < bytes && bytes - at >= size;
  }
  // Returns the index of the word that an address lies in.
  std::size_t word_of(std::uintptr_t address) const { return address / 4 - begin / 4; }
};

// Symbol that no program may call or change, though it names it: no other object has it.
#define KBENCH_EMULATION_LOCAL(name) __asm__("kb_" #name)

// Maps memory of zeros that takes none before it is touched.
void* map_memory(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);

// ---- Global memory: no launch may run while it changes, but for add_region().

enum class Contents { written, unwritten, constant };
// Adds a region in the place of any earlier one. `name` is copied.
Region* add_region(const void* begin, std::size_t bytes, const char* name, Contents contents)
    KBENCH_EMULATION_LOCAL(add_region);
// Lets the host reach all memory from now on: tensors of torch are the processor's here, and memory
// that a solution has copied to the host looks like all other.
void let_host_reach_all() KBENCH_EMULATION_LOCAL(let_host_reach_all);
// Shuts the pages of tensors to the host, whatever it reads with, or opens them.
void shut_tensors(bool are_shut) KBENCH_EMULATION_LOCAL(shut_tensors);
// Scope of kernels and copies, in which they are open.
struct OpenTensors {
  OpenTensors();
  ~OpenTensors();
  OpenTensors(const OpenTensors&) = delete;
};
// Returns the region of the device that the address lies in; null where the host may reach it.
const Region* find_out_of_reach(std::uintptr_t address) KBENCH_EMULATION_LOCAL(find_out_of_reach);
bool remove_region(const void* begin) KBENCH_EMULATION_LOCAL(remove_region);
const Region* find_region(std::uintptr_t address) KBENCH_EMULATION_LOCAL(find_region);
// Returns the region nearest by begin or end, for messages; null if none is within a page.
const Region* nearest_region(std::uintptr_t address) KBENCH_EMULATION_LOCAL(nearest_region);
// Adds the data of this library: __device__ and __constant__ variables, and literals.
void add_own_data();
// Records that the host wrote there.
void set_written(const void* begin, std::size_t bytes) KBENCH_EMULATION_LOCAL(set_written);
// Records that the host copied there: bytes unwritten at the source stay unwritten.
void copy_written(const void* to, const void* from, std::size_t bytes);
// Forgets the records of the launches before.
void clear_records() KBENCH_EMULATION_LOCAL(clear_records);

}  // namespace kbench_emulation
