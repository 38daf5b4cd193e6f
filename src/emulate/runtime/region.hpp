// What a kernel may access: pieces of memory with a name, and shadows that say which bytes were
// written and who accessed them last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbench_emulation {

// Who accessed a word: run of a block << 32 | moment << 17 | volatile << 16 | atomic << 15 |
// thread << 4 | bytes. A volatile write to global memory is atomic, too, and has its own bit only
// where its thread has come to no fence.
// A run is one execution of a block, a moment what lies between two events by which threads of the
// block wait for each other. `thread` may be one of the two kinds of "several".
using Record = std::uint64_t;
constexpr Record atomic_bit = Record{1} << 15, volatile_bit = Record{1} << 16;
constexpr std::uint32_t most_moments = 0x7ff0;
constexpr unsigned several_of_warp = 1024,
                   several = 2047;  // the first with the warp's number added
constexpr Record make_record(std::uint32_t run, std::uint32_t moment, unsigned thread) {
  return Record{run} << 32 | Record{moment} << 17 | Record{thread} << 4;
}
constexpr std::uint32_t run_of(Record r) { return static_cast<std::uint32_t>(r >> 32); }
constexpr std::uint32_t moment_of(Record r) { return r >> 17 & 0x7fff; }
constexpr unsigned thread_of(Record r) { return r >> 4 & 0x7ff; }
constexpr unsigned bytes_of(Record r) { return r & 15; }

// The last write and the last read of four bytes.
struct Cell {
  Record write, read;
};

struct Region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::uint8_t* written = nullptr;  // a bit a byte, four of them a word; null: all of it is
  Cell* cells = nullptr;            // null where only reads are allowed
  const char* name = "";
  bool is_shared = false;
  bool is_of_device = false;  // the host cannot reach it
  int access = 0;             // mprotect's, of a tensor's pages where they are not shut

  bool holds(std::uintptr_t address, std::size_t size) const {
    const std::uintptr_t at = address - begin;
    return at < bytes && bytes - at >= size;
  }
  // The word that an address lies in.
  std::size_t word_of(std::uintptr_t address) const { return address / 4 - begin / 4; }
};

// The name of what no program may call or change, though it names it: that of no other object.
#define KBENCH_EMULATION_LOCAL(name) __asm__("kb_" #name)

// Memory of zeros that takes none before it is touched.
void* map_memory(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);

// ---- Global memory: no launch may run while it changes, but for add_region().

enum class Contents { written, unwritten, constant };
// Takes the place of what was there. `name` is copied.
Region* add_region(const void* begin, std::size_t bytes, const char* name, Contents contents)
    KBENCH_EMULATION_LOCAL(add_region);
// From now on the host may reach all memory: tensors of torch are the processor's here, and what a
// solution has copied to the host looks as what it has not.
void let_host_reach_all() KBENCH_EMULATION_LOCAL(let_host_reach_all);
// Shuts the pages of tensors to the host, whatever it reads with, or opens them.
void shut_tensors(bool are_shut) KBENCH_EMULATION_LOCAL(shut_tensors);
// Kernels and copies open them while they last.
struct OpenTensors {
  OpenTensors();
  ~OpenTensors();
  OpenTensors(const OpenTensors&) = delete;
};
// The region of the device that the address lies in; null where the host may reach it.
const Region* find_out_of_reach(std::uintptr_t address) KBENCH_EMULATION_LOCAL(find_out_of_reach);
bool remove_region(const void* begin) KBENCH_EMULATION_LOCAL(remove_region);
const Region* find_region(std::uintptr_t address) KBENCH_EMULATION_LOCAL(find_region);
// The region that begins or ends nearest, for messages; null where there is none within a page.
const Region* nearest_region(std::uintptr_t address) KBENCH_EMULATION_LOCAL(nearest_region);
// The data of this library: what __device__ and __constant__ variables, and literals, lie in.
void add_own_data();
// Says that the host wrote there.
void set_written(const void* begin, std::size_t bytes) KBENCH_EMULATION_LOCAL(set_written);
// Says that the host copied there: what was not written at the source is not.
void copy_written(const void* to, const void* from, std::size_t bytes);
// What the launches before had to say is forgotten.
void clear_records() KBENCH_EMULATION_LOCAL(clear_records);

}  // namespace kbench_emulation
