#include "base/digest.hpp"

#include <fcntl.h>
#include <sha1.h>
#include <sha256.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/shared_memory.hpp"

namespace kbench {
namespace {

using Lanes = std::array<std::uint64_t, 8>;

using Wide = unsigned __int128;

// Adds both halves of the product, so that what a bit changes in the sum depends on all others
// there: else the sign of a float, which is a word's highest bit, could be undone by a bit of a
// later word.
void add_block(Lanes& sums, const char* block) {
  Lanes words;
  std::memcpy(words.data(), block, sizeof words);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Wide product = Wide{sums[i] ^ words[i]} * 0x9e3779b97f4a7c15ULL;
    sums[i] = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
}

// Mapped: LibTorch has hundreds of megabytes.
std::string digest_of_file(const std::filesystem::path& path) {
  const auto file = SharedMemory::map_read_only(open_confined(path, O_RDONLY));
  return content_digest({reinterpret_cast<const char*>(file.data()), file.size()});
}

}  // namespace

std::string sha1_hex(std::string_view data) {
  std::array<char, SHA1_DIGEST_STRING_LENGTH> out{};
  SHA1Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

std::string sha256_hex(std::string_view data) {
  if (auto digest = sha256_by_instructions(data)) return *std::move(digest);
  std::array<char, SHA256_DIGEST_STRING_LENGTH> out{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

std::string content_digest(std::string_view data) {
  Lanes sums{1, 2, 3, 4, 5, 6, 7, 8};
  const std::size_t size = data.size();
  for (; data.size() >= sizeof sums; data.remove_prefix(sizeof sums)) add_block(sums, data.data());
  std::array<char, sizeof sums> rest{};
  std::copy(data.begin(), data.end(), rest.begin());
  add_block(sums, rest.data());
  std::array<std::uint64_t, sums.size() + 1> all{};
  std::copy(sums.begin(), sums.end(), all.begin());
  all.back() = size;
  return sha256_hex({reinterpret_cast<const char*>(all.data()), sizeof all});
}

std::string content_identity(const std::filesystem::path& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const std::string identity = file_identity(path);
  std::string& digest = known[path.string() + " " + identity];
  if (digest.empty()) digest = identity == "absent" ? identity : digest_of_file(path);
  return digest;
}

}  // namespace kbench
