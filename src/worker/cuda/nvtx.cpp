#include "worker/cuda/nvtx.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/system.hpp"

namespace kbench::cuda {
namespace {

using Function = void (*)();

// Numbers of NVTX's, by which both sides mean the same.
constexpr std::uint32_t callbacks_table = 1, version_table = 3;
constexpr std::uint32_t nvtx_version = 3;
constexpr std::size_t core_module = 1, range_push_a = 9, range_pop = 11;
// The number of functions of each module, plus one. Profilers refuse whoever lacks any of them.
constexpr unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
constexpr std::size_t modules = std::size(sizes), most_functions = 16;

// The profiler puts its functions where the tables lead.
Function functions[modules][most_functions] = {};
Function* tables[modules][most_functions + 1] = {};

int module_table(int module, Function*** table, unsigned* size) {
  if (module < 1 || module >= static_cast<int>(modules)) return 0;
  const auto which = static_cast<std::size_t>(module);
  for (std::size_t i = 1; i < sizes[which]; ++i) tables[which][i] = &functions[which][i];
  if (size != nullptr) *size = sizes[which];
  if (table != nullptr) *table = tables[which];
  return 1;
}

void set_version(std::uint32_t) {}

struct Callbacks {
  std::size_t bytes = sizeof(Callbacks);
  int (*module_table)(int module, Function*** table, unsigned* size) = &kbench::cuda::module_table;
};
struct Version {
  std::size_t bytes = sizeof(Version);
  std::uint32_t version = nvtx_version;
  std::uint32_t reserved = 0;
  void (*set_version)(std::uint32_t version) = &kbench::cuda::set_version;
};

const void* export_table(std::uint32_t which) {
  static constexpr Callbacks callbacks;
  static constexpr Version version;
  if (which == callbacks_table) return &callbacks;
  return which == version_table ? &version : nullptr;
}

}  // namespace

Nvtx::Nvtx(std::string label, const std::string& library) : label_(std::move(label)) {
  if (label_.empty() || library.empty()) return;
  void* const handle = ::dlopen(library.c_str(), RTLD_LAZY);
  if (handle == nullptr) return;
  using Begin = int (*)(const void* (*export_table)(std::uint32_t which));
  const auto begin = reinterpret_cast<Begin>(::dlsym(handle, "InitializeInjectionNvtx2"));
  if (begin == nullptr || begin(&export_table) == 0) return;
  const auto& core = functions[core_module];
  if (core[range_push_a] == nullptr || core[range_pop] == nullptr) return;
  push_ = reinterpret_cast<int (*)(const char*)>(core[range_push_a]);
  pop_ = reinterpret_cast<int (*)()>(core[range_pop]);
}

Nvtx::Nvtx() : Nvtx(variable(label_variable), variable(injection_variable)) {}

}  // namespace kbench::cuda
