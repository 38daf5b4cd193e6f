// Report of a fault: one line to standard error, and the process ends.
#pragma once

#include <kbench_emulation.h>

#include <cstdint>

namespace kbench_emulation {

// Place of an event: an address of the code that did it, or where that has no line, in the source.
struct Where {
  Place place{nullptr, 0};
  const void* code = nullptr;
};

constexpr int fault_status = 86;

// Prints "kbench-emulation: KIND text, file:line, kernel NAME, block (x,y,z), thread (x,y,z)".
[[noreturn]] void fault(const char* kind, Where where, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Prints a line like it after "NOTE ", a few times at most and once for each place: a thing that
// explains a wrong result, but need not be one.
void note(const char* kind, Where where, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Variable that an address of data lies in; without a name where no symbol says.
struct Variable {
  const char* name = nullptr;
  std::uintptr_t begin = 0;
};
Variable variable_at(std::uintptr_t address);

// Returns the line of an address of code: the innermost frame outside of this emulation's headers.
Place line_of(const void* code);

}  // namespace kbench_emulation
