#include "emulate/runtime/fault.hpp"

#include <backtrace.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {
namespace {

constexpr size_t line_bytes = 1200;
std::mutex output;

bool is_own_header(const char* file) {
  return std::strstr(file, "include/emulation/") != nullptr ||
         std::strstr(file, "kbench/emulation/") != nullptr || std::strncmp(file, "/usr/", 5) == 0;
}

int take_frame(void* data, uintptr_t, const char* file, int line, const char*) {
  auto* const found = static_cast<Place*>(data);
  if (file == nullptr) return 0;
  if (found->file == nullptr || is_own_header(found->file)) *found = {file, line};
  return is_own_header(found->file) ? 0 : 1;
}

void ignore(void*, const char*, int) {}

// Shortens "./kernel.cu" to "kernel.cu".
const char* shown(const char* file) { return std::strncmp(file, "./", 2) == 0 ? file + 2 : file; }

struct Line {
  char text[line_bytes];
  size_t used = 0;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    add(format, values);
    va_end(values);
  }
  void add(const char* format, va_list values) {
    const int n = std::vsnprintf(text + used, line_bytes - used, format, values);
    used = std::min(used + static_cast<size_t>(n > 0 ? n : 0), line_bytes - 2);
  }
};

void add_thread(Line& line) {
  const Thread* const thread = running_thread();
  if (thread == nullptr) return;
  const uint3 b = now->block->index, t = thread->index;
  line.add(", kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", kernel_name(), b.x, b.y, b.z, t.x,
           t.y, t.z);
}

void report(const char* level, const char* kind, const Where& where, const char* format,
            va_list values) {
  Line line;
  line.add("kbench-emulation: %s%s ", level, kind);
  line.add(format, values);
  Place place = line_of(where.code);
  if (place.file == nullptr) place = where.place;
  if (place.file != nullptr) line.add(", %s:%d", shown(place.file), place.line);
  add_thread(line);
  line.text[line.used++] = '\n';
  for (size_t done = 0; done < line.used;) {
    const ssize_t n = ::write(STDERR_FILENO, line.text + done, line.used - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
}

backtrace_state* symbols() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  return state;
}

void take_symbol(void* data, uintptr_t, const char* name, uintptr_t begin, uintptr_t) {
  if (name != nullptr) *static_cast<Variable*>(data) = {name, begin};
}

}  // namespace

Place line_of(const void* code) {
  Place found{nullptr, 0};
  if (code != nullptr && symbols() != nullptr)
    backtrace_pcinfo(symbols(), reinterpret_cast<uintptr_t>(code) - 1, take_frame, ignore, &found);
  return found;
}

Variable variable_at(std::uintptr_t address) {
  Variable found;
  if (symbols() != nullptr) backtrace_syminfo(symbols(), address, take_symbol, ignore, &found);
  return found;
}

void fault(const char* kind, Where where, const char* format, ...) {
  const std::lock_guard lock(output);
  va_list values;
  va_start(values, format);
  report("", kind, where, format, values);
  va_end(values);
  ::_exit(fault_status);
}

void note(const char* kind, Where where, const char* format, ...) {
  constexpr size_t most = 16;
  static Where seen[most];
  static size_t count = 0;
  const std::lock_guard lock(output);
  if (count == most) return;
  for (size_t i = 0; i < count; ++i)
    if (seen[i].code == where.code && seen[i].place.line == where.place.line) return;
  seen[count++] = where;
  va_list values;
  va_start(values, format);
  report("NOTE ", kind, where, format, values);
  va_end(values);
}

void fail(const char* kind, const char* text, Place place) {
  fault(kind, {place, nullptr}, "%s", text);
}

void not_emulated(const char* what, Place place) {
  fault("NOT_EMULATED", {place, nullptr}, "%s", what);
}

}  // namespace kbench_emulation
