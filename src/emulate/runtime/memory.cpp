// CUDA's runtime API on this machine: memory. Each piece lies between pages that nobody may touch.
#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "emulate/runtime/machine.hpp"
#include "emulate/runtime/region.hpp"

using namespace kbench_emulation;

namespace {

constexpr std::size_t page = 4096, alignment = 512;

struct Allocations {
  std::mutex mutex;
  std::unordered_map<void*, std::size_t> bytes;  // size of the mapping
  std::size_t count = 0;
  std::unordered_multimap<std::size_t, void*> freed;  // of kernels, by size
  std::size_t heap_used = 0, heap_limit = 8 << 20;
};
Allocations& allocations() {
  static Allocations& all = *new Allocations;
  return all;
}

enum class Reach { device, both };

cudaError_t allocate(void** memory, std::size_t bytes, const char* kind, Reach reach) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > std::size_t{80} << 30) return took_launch(cudaErrorMemoryAllocation);
  const std::size_t whole = (bytes + alignment - 1) / page * page + 3 * page;
  void* const mapped = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return took_launch(cudaErrorMemoryAllocation);
  char* const begin = static_cast<char*>(mapped) + page;
  ::mprotect(mapped, page, PROT_NONE);
  ::mprotect(static_cast<char*>(mapped) + whole - page, page, PROT_NONE);
  std::memset(begin, nonsense, bytes);
  Allocations& all = allocations();
  const std::lock_guard lock(all.mutex);
  all.bytes[begin] = whole;
  char name[64];
  std::snprintf(name, sizeof name, "memory %zu of %s", ++all.count, kind);
  add_region(begin, bytes, name, Contents::unwritten)->is_of_device = reach == Reach::device;
  *memory = begin;
  return cudaSuccess;
}

cudaError_t release(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  Allocations& all = allocations();
  const std::lock_guard lock(all.mutex);
  const auto found = all.bytes.find(memory);
  if (found == all.bytes.end()) return took_launch(cudaErrorInvalidValue);
  remove_region(memory);
  ::munmap(static_cast<char*>(memory) - page, found->second);
  all.bytes.erase(found);
  return cudaSuccess;
}

// Tells whether the device's memory there, if it is the device's, has so many bytes.
bool fits(const void* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const Region* const region = find_region(address);
  return region == nullptr || region->holds(address, bytes);
}

// Copy by the host, whose accesses are not checked as a kernel's are.
struct CopyByHost {
  CopyByHost() {
    if (now != nullptr) not_emulated("a copy by a kernel");
  }
  OpenTensors open = {};
};

}  // namespace

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return allocate(memory, bytes, "cudaMalloc", Reach::device);
}
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  return allocate(memory, bytes, "cudaMallocAsync", Reach::device);
}
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) {
  const cudaError_t error = allocate(memory, bytes, "cudaMallocManaged", Reach::both);
  set_written(*memory, bytes);  // the host may have written it
  return error;
}
cudaError_t cudaMallocHost(void** memory, size_t bytes, unsigned) {
  const cudaError_t error = allocate(memory, bytes, "cudaMallocHost", Reach::both);
  set_written(*memory, bytes);
  return error;
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return cudaMallocHost(memory, bytes, flags);
}
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  add_region(memory, bytes, "registered memory of the host", Contents::written);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  return took_launch(remove_region(memory) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + alignment - 1) / alignment * alignment;
  return allocate(memory, *pitch * height, "cudaMallocPitch", Reach::device);
}
cudaError_t cudaFree(void* memory) { return release(memory); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return release(memory); }
cudaError_t cudaFreeHost(void* memory) { return release(memory); }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = std::size_t{79} << 30;
  *total = std::size_t{80} << 30;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const bool is_known = find_region(reinterpret_cast<std::uintptr_t>(pointer)) != nullptr;
  void* const address = const_cast<void*>(pointer);
  *attributes = {is_known ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered, 0,
                 is_known ? address : nullptr, is_known ? nullptr : address};
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  const CopyByHost copy;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr || !fits(to, bytes) || !fits(from, bytes))
    return took_launch(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  copy_written(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return took_launch(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemcpy(static_cast<char*>(to) + row * to_pitch,
                   static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  const CopyByHost copy;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || !fits(to, bytes)) return took_launch(cudaErrorInvalidValue);
  std::memset(to, value, bytes);
  set_written(to, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  return cudaMemset(to, value, bytes);
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = cudaMemset(static_cast<char*>(to) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }

namespace kbench_emulation {

cudaError_t copy_to_symbol(void* symbol, size_t size, const void* from, size_t bytes,
                           size_t offset) {
  const CopyByHost copy;
  if (offset > size || bytes > size - offset) return took_launch(cudaErrorInvalidValue);
  std::memcpy(static_cast<char*>(symbol) + offset, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t size, size_t bytes,
                             size_t offset) {
  const CopyByHost copy;
  if (offset > size || bytes > size - offset) return took_launch(cudaErrorInvalidValue);
  std::memcpy(to, static_cast<const char*>(symbol) + offset, bytes);
  set_written(to, bytes);
  return cudaSuccess;
}

}  // namespace kbench_emulation

// malloc and free, which a kernel has from a heap of its own. The runtime, which runs while a
// kernel does, has the C library's.

void* operator new(std::size_t bytes) { return std::malloc(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

constexpr char heap_name[] = "memory of malloc in a kernel";

extern "C" void* kbench_emulation_malloc(std::size_t bytes) {
  if (now == nullptr) return std::malloc(bytes);
  Allocations& all = allocations();
  const std::lock_guard lock(all.mutex);
  if (bytes == 0 || bytes > all.heap_limit - all.heap_used) return nullptr;
  all.heap_used += bytes;
  const auto spare = all.freed.find(bytes);
  void* const memory = spare == all.freed.end() ? std::malloc(bytes) : spare->second;
  if (spare != all.freed.end()) all.freed.erase(spare);
  std::memset(memory, nonsense, bytes);
  Region* const region = add_region(memory, bytes, heap_name, Contents::unwritten);
  std::memset(static_cast<void*>(region->cells), 0, (bytes + 3) / 4 * sizeof(Cell));
  region->is_of_device = true;
  return memory;
}

// The region stays, since others may point to it, with nothing in it.
extern "C" void kbench_emulation_free(void* memory) {
  if (now == nullptr) return std::free(memory);
  if (memory == nullptr) return;
  Allocations& all = allocations();
  const std::lock_guard lock(all.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const Region* const region = find_region(address);
  if (region == nullptr || region->begin != address || std::strcmp(region->name, heap_name) != 0)
    fault("OUT_OF_BOUNDS", {{}, __builtin_return_address(0)},
          "free in a kernel of what malloc in a kernel has not given, or twice");
  add_region(memory, region->bytes, "memory that a kernel has freed", Contents::unwritten);
  all.heap_used -= region->bytes;
  all.freed.emplace(region->bytes, memory);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitMallocHeapSize) allocations().heap_limit = value;
  return cudaSuccess;
}

// Adds memory that a solution's host allocates by itself: include/kbench/emulation says whose.

extern "C" __attribute__((visibility("default"))) void kbench_emulation_add_memory(
    const void* begin, std::size_t bytes) {
  kbench_emulation::add_region(begin, bytes, "a tensor of the solution",
                               kbench_emulation::Contents::written);
}

extern "C" __attribute__((visibility("default"))) void kbench_emulation_has_torch() {
  kbench_emulation::let_host_reach_all();
}

extern "C" __attribute__((visibility("default"))) void kbench_emulation_remove_memory(
    const void* begin) {
  kbench_emulation::remove_region(begin);
}
