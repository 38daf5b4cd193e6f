// A stand-in for NVIDIA's profilers, which programs tell of ranges (NVTX_INJECTION64_PATH): it
// takes the functions for ranges, as injections of NVTX 3's do, and remembers what it was told.
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using Function = void (*)();
struct Callbacks {
  std::size_t bytes;
  int (*module_table)(int module, Function*** table, unsigned* size);
};
struct Version {
  std::size_t bytes;
  std::uint32_t version, reserved;
  void (*set_version)(std::uint32_t version);
};

std::string told;

int push(const char* message) {
  told += std::string("push ") + message + "\n";
  return 0;
}
int pop() {
  told += "pop\n";
  return 0;
}

// Tells whether every module's table is there, and as long as NVTX 3 has it.
bool has_all(const Callbacks& callbacks) {
  constexpr unsigned sizes[] = {16, 9, 15, 7, 16, 7};
  int module = 0;
  for (const unsigned expected : sizes) {
    Function** table = nullptr;
    unsigned size = 0;
    if (callbacks.module_table(++module, &table, &size) == 0 || size != expected) return false;
    for (unsigned i = 1; i < size; ++i)
      if (table[i] == nullptr) return false;
  }
  return callbacks.module_table(++module, nullptr, nullptr) == 0;
}

}  // namespace

extern "C" {

int InitializeInjectionNvtx2(const void* (*export_table)(std::uint32_t which)) {
  const auto* const version = static_cast<const Version*>(export_table(3));
  const auto* const callbacks = static_cast<const Callbacks*>(export_table(1));
  if (version == nullptr || version->bytes != sizeof(Version) || version->version != 3) return 0;
  if (callbacks == nullptr || callbacks->bytes != sizeof(Callbacks)) return 0;
  if (export_table(2) != nullptr || !has_all(*callbacks)) return 0;
  version->set_version(3);
  Function** table = nullptr;
  callbacks->module_table(1, &table, nullptr);
  *table[9] = reinterpret_cast<Function>(&push);
  *table[11] = reinterpret_cast<Function>(&pop);
  return 1;
}

const char* fake_nvtx_told() { return told.c_str(); }
void fake_nvtx_forget() { told.clear(); }
}
