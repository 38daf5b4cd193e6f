#include "emulate/runtime/region.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kbench_emulation {
namespace {

struct Owned : Region {
  std::string text;
  std::size_t words() const { return (bytes + begin % 4 + 3) / 4; }
  Owned(std::uintptr_t begin_, std::size_t bytes_, const char* name_, Contents contents)
      : text(name_) {
    begin = begin_;
    bytes = bytes_;
    name = text.c_str();
    if (contents != Contents::constant)
      cells = static_cast<Cell*>(map_memory(words() * sizeof(Cell)));
    if (contents == Contents::unwritten) written = static_cast<std::uint8_t*>(map_memory(words()));
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (cells != nullptr) unmap_memory(cells, words() * sizeof(Cell));
    if (written != nullptr) unmap_memory(written, words());
  }
};

// Regions sorted by begin. Never destroyed: a library may be used until the process ends.
struct Table {
  std::mutex mutex;
  std::vector<std::unique_ptr<Owned>> regions;
  bool host_reaches_all = false;

  auto after(std::uintptr_t address) {
    return std::upper_bound(
        regions.begin(), regions.end(), address,
        [](std::uintptr_t a, const std::unique_ptr<Owned>& r) { return a < r->begin; });
  }
  Owned* last_before(std::uintptr_t address) {
    const auto next = after(address);
    return next == regions.begin() ? nullptr : std::prev(next)->get();
  }
};
Table& table() {
  static Table& the_table = *new Table;
  return the_table;
}

// Returns a mask of the bytes written in the word at an address.
unsigned written_bytes(const Region* region, std::uintptr_t address) {
  if (region == nullptr || region->written == nullptr) return 15;
  return region->written[region->word_of(address)] & 15;
}

bool is_same(const Owned& region, std::uintptr_t begin, std::size_t bytes, Contents contents) {
  return region.begin == begin && region.bytes == bytes &&
         (region.cells == nullptr) == (contents == Contents::constant) &&
         (region.written != nullptr) == (contents == Contents::unwritten);
}

int add_segments(dl_phdr_info* info, std::size_t, void* of) {
  const auto holds = [&](const ElfW(Phdr) & header, std::uintptr_t address) {
    return header.p_type == PT_LOAD && address - info->dlpi_addr - header.p_vaddr < header.p_memsz;
  };
  const auto* const end = info->dlpi_phdr + info->dlpi_phnum;
  const auto own = reinterpret_cast<std::uintptr_t>(of);
  if (std::none_of(info->dlpi_phdr, end, [&](const auto& header) { return holds(header, own); }))
    return 0;
  for (const auto* header = info->dlpi_phdr; header != end; ++header) {
    if (header->p_type != PT_LOAD || header->p_flags & PF_X) continue;
    const std::uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    const bool is_writable = header->p_flags & PF_W;
    add_region(reinterpret_cast<void*>(begin), header->p_memsz,
               is_writable ? "variables" : "constants",
               is_writable ? Contents::written : Contents::constant);
  }
  return 1;
}

}  // namespace

void* map_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "kbench-emulation: no memory for %zu bytes\n", bytes);
    std::abort();
  }
  return memory;
}

void unmap_memory(void* memory, std::size_t bytes) { ::munmap(memory, bytes + 1); }

Region* add_region(const void* begin, std::size_t bytes, const char* name, Contents contents) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  Owned* const before = all.last_before(address);
  if (before != nullptr && is_same(*before, address, bytes, contents)) {
    before->text = name;
    before->name = before->text.c_str();
    if (before->written != nullptr) std::memset(before->written, 0, before->words());
    return before;
  }
  const auto overlaps = [&](const std::unique_ptr<Owned>& r) {
    return r->begin < address + bytes && address < r->begin + r->bytes;
  };
  all.regions.erase(std::remove_if(all.regions.begin(), all.regions.end(), overlaps),
                    all.regions.end());
  return all.regions
      .insert(all.after(address), std::make_unique<Owned>(address, bytes, name, contents))
      ->get();
}

bool remove_region(const void* begin) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto next = all.after(address);
  if (next == all.regions.begin() || (*std::prev(next))->begin != address) return false;
  all.regions.erase(std::prev(next));
  return true;
}

const Region* find_region(std::uintptr_t address) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const Owned* const region = all.last_before(address);
  return region != nullptr && address - region->begin < region->bytes ? region : nullptr;
}

void let_host_reach_all() { table().host_reaches_all = true; }

void shut_tensors(bool are_shut) {
  constexpr std::uintptr_t page = 4096;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  for (const auto& region : all.regions) {
    if (region->access == 0 || all.host_reaches_all) continue;
    const std::uintptr_t begin = region->begin / page * page;
    ::mprotect(reinterpret_cast<void*>(begin), region->begin + region->bytes - begin,
               are_shut ? PROT_NONE : region->access);
  }
}

static void count_openers(int change) {
  static std::mutex& mutex = *new std::mutex;
  static int openers = 0;
  const std::lock_guard lock(mutex);
  if (openers == 0 || openers + change == 0) shut_tensors(openers != 0);
  openers += change;
}

OpenTensors::OpenTensors() { count_openers(1); }
OpenTensors::~OpenTensors() { count_openers(-1); }

const Region* find_out_of_reach(std::uintptr_t address) {
  if (table().host_reaches_all) return nullptr;
  const Region* const region = find_region(address);
  return region != nullptr && region->is_of_device ? region : nullptr;
}

const Region* nearest_region(std::uintptr_t address) {
  constexpr std::uintptr_t near = 4096;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto next = all.after(address);
  const Region* const before = all.last_before(address);
  if (before != nullptr && address - (before->begin + before->bytes) < near) return before;
  if (next != all.regions.end() && (*next)->begin - address < near) return next->get();
  return nullptr;
}

void add_own_data() {
  static const char inside = 0;
  ::dl_iterate_phdr(add_segments, const_cast<char*>(&inside));
}

void set_written(const void* begin, std::size_t bytes) { copy_written(begin, nullptr, bytes); }

void copy_written(const void* to, const void* from, std::size_t bytes) {
  const auto target = reinterpret_cast<std::uintptr_t>(to);
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  const Region* const here = find_region(target);
  const Region* const there = from == nullptr ? nullptr : find_region(source);
  if (here == nullptr || here->written == nullptr) return;
  std::size_t step = 0;
  for (std::size_t i = 0; i < bytes && here->holds(target + i, 1); i += step) {
    std::uint8_t& word = here->written[here->word_of(target + i)];
    const unsigned known = written_bytes(there, source + i);
    const bool is_whole = (target + i) % 4 == 0 && bytes - i >= 4 && (source + i) % 4 == 0;
    step = is_whole ? 4 : 1;
    const unsigned mask = is_whole ? 15 : 1u << (target + i) % 4;
    const unsigned is_written = is_whole ? known : known >> (source + i) % 4 & 1 ? mask : 0;
    word = static_cast<std::uint8_t>((word & ~mask) | is_written);
  }
}

void clear_records() {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  for (const auto& region : all.regions)
    if (region->cells != nullptr)
      std::memset(static_cast<void*>(region->cells), 0, region->words() * sizeof(Cell));
}

}  // namespace kbench_emulation
