// gelu for candidates that compute before their call: as soon as the worker's own code comes by,
// which it does where a function of the C library has been replaced in the worker's table of them.
#ifndef HOSTILE_EARLY_H_
#define HOSTILE_EARLY_H_

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdarg>
#include <cstring>
#include <utility>
#include <vector>

#include "kbench_ffi.h"

inline float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }

inline void gelu(const kbench::Tensor& x, const kbench::Tensor& out) {
  for (int64_t i = 0; i < x.numel(); ++i) out.data<float>()[i] = gelu(x.data<float>()[i]);
}

// What has been computed, and of what.
struct Early {
  const float* x = nullptr;  // nullptr: there was no call yet
  std::vector<float> seen, ready;

  // For calls of the same tensor.
  void expect(const kbench::Tensor& in) {
    x = in.data<float>();
    seen.assign(static_cast<size_t>(in.numel()), 0);
    ready = seen;
  }
  void compute() {
    for (size_t i = 0; i < seen.size(); ++i) ready[i] = gelu(seen[i] = x[i]);
  }
  // What elements have become others since then is computed now.
  void finish(const kbench::Tensor& out) const {
    for (size_t i = 0; i < seen.size(); ++i) {
      const bool is_same = std::memcmp(&seen[i], &x[i], sizeof x[i]) == 0;
      out.data<float>()[i] = is_same ? ready[i] : gelu(x[i]);
    }
  }
};

struct Replacement {
  const char* name;
  void* with;
  void* before;
};

// In the program that has mapped this library.
inline int replace_in(dl_phdr_info* program, size_t, void* data) {
  auto& wanted = *static_cast<Replacement*>(data);
  const auto at = [program](uint64_t address) {
    return reinterpret_cast<char*>(address < program->dlpi_addr ? program->dlpi_addr + address
                                                                : address);
  };
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic =
          reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
  }
  uint64_t values[64] = {};
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag < 64) values[dynamic->d_tag] = dynamic->d_un.d_val;
  }
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(at(values[DT_SYMTAB]));
  const char* const names = at(values[DT_STRTAB]);
  constexpr std::pair<int, int> tables[] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
  for (const auto& [table, size] : tables) {
    const auto* entry = reinterpret_cast<const ElfW(Rela)*>(at(values[table]));
    for (size_t i = 0; i < values[size] / sizeof *entry; ++i, ++entry) {
      if (std::strcmp(names + symbols[ELF64_R_SYM(entry->r_info)].st_name, wanted.name) != 0)
        continue;
      auto** place = reinterpret_cast<void**>(program->dlpi_addr + entry->r_offset);
      const auto page = reinterpret_cast<uintptr_t>(place) & ~uintptr_t{4095};
      mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
      wanted.before = *place;
      *place = wanted.with;
    }
  }
  return 1;  // the program is the first; its libraries follow
}

// What the program called by this name until now.
template <typename F>
F* replace(const char* name, F* with) {
  Replacement wanted{name, reinterpret_cast<void*>(with), nullptr};
  dl_iterate_phdr(&replace_in, &wanted);
  if (wanted.before == nullptr) throw kbench::Error{"NotThere", name};
  return reinterpret_cast<F*>(wanted.before);
}

// The system call by which the worker sleeps until the judge wakes it, with `after` behind it.
inline long (*call_system)(long, ...);

template <void (*after)()>
long call_and(long number, ...) {
  long given[6];
  va_list rest;
  va_start(rest, number);
  for (long& one : given) one = va_arg(rest, long);
  va_end(rest);
  const long got = call_system(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  after();
  return got;
}

template <void (*after)()>
void replace_waiting() {
  call_system = replace("syscall", &call_and<after>);
}

#endif  // HOSTILE_EARLY_H_
