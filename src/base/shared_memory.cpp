#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/system.hpp"

namespace kbench {
namespace {

std::byte* map(int fd, std::size_t bytes, int protection) {
  if (bytes == 0) return nullptr;
  void* data = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) fail_by_errno("mmap of shared memory");
  return static_cast<std::byte*>(data);
}

void add_seals(int fd, int seals) {
  if (::fcntl(fd, F_ADD_SEALS, seals) != 0) fail_by_errno("sealing shared memory");
}

}  // namespace

SharedMemory::SharedMemory(const std::string& name, std::size_t bytes)
    : fd_(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)), size_(bytes) {
  if (!fd_) fail_by_errno("memfd_create");
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) fail_by_errno("sizing shared memory");
  data_ = map(fd_.get(), bytes, PROT_READ | PROT_WRITE);
}

SharedMemory SharedMemory::map_read_only(Fd fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_by_errno("fstat of shared memory");
  SharedMemory memory;
  memory.size_ = static_cast<std::size_t>(status.st_size);
  memory.data_ = map(fd.get(), memory.size_, PROT_READ);
  memory.fd_ = std::move(fd);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void SharedMemory::seal_for_others() {
  add_seals(fd_.get(), F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

void SharedMemory::seal_size() { add_seals(fd_.get(), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); }

}  // namespace kbench
