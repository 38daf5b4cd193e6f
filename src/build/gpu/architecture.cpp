#include "build/gpu/architecture.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace kbench::gpu {
namespace {

constexpr std::int64_t kib = 1024;
constexpr int warp_threads = 32;
constexpr int most_block_threads = 1024;
constexpr int most_registers = 255;
// The register file is cut in as many parts, each for its own warps.
constexpr int parts = 4;
constexpr int registers_of_part = 65536 / parts;
constexpr int register_unit = 256;  // registers; a warp's are rounded up
constexpr int shared_unit = 128;

constexpr Architecture table[] = {
    {"sm_75", 32, 16, 64 * kib, 64 * kib, 0},      {"sm_80", 64, 32, 164 * kib, 163 * kib, kib},
    {"sm_86", 48, 16, 100 * kib, 99 * kib, kib},   {"sm_87", 48, 16, 164 * kib, 163 * kib, kib},
    {"sm_89", 48, 24, 100 * kib, 99 * kib, kib},   {"sm_90", 64, 32, 228 * kib, 227 * kib, kib},
    {"sm_100", 64, 32, 228 * kib, 227 * kib, kib}, {"sm_103", 64, 32, 228 * kib, 227 * kib, kib},
    {"sm_110", 48, 24, 228 * kib, 227 * kib, kib}, {"sm_120", 48, 24, 100 * kib, 99 * kib, kib},
    {"sm_121", 48, 24, 100 * kib, 99 * kib, kib},
};

struct Device {
  std::string_view word;  // part of its name, in small letters
  std::string_view architecture;
};

// The longer word first, where one begins with another.
constexpr Device devices[] = {
    {"gb300", "sm_103"},   {"b300", "sm_103"}, {"gb200", "sm_100"},
    {"b200", "sm_100"},    {"b100", "sm_100"}, {"gh200", "sm_90"},
    {"h200", "sm_90"},     {"h100", "sm_90"},  {"h800", "sm_90"},
    {"h20", "sm_90"},      {"l40s", "sm_89"},  {"l40", "sm_89"},
    {"l20", "sm_89"},      {"l4", "sm_89"},    {"4090", "sm_89"},
    {"4080", "sm_89"},     {"4070", "sm_89"},  {"4060", "sm_89"},
    {"6000 ada", "sm_89"}, {"a100", "sm_80"},  {"a800", "sm_80"},
    {"a30", "sm_80"},      {"a10g", "sm_86"},  {"a10", "sm_86"},
    {"a40", "sm_86"},      {"a6000", "sm_86"}, {"3090", "sm_86"},
    {"3080", "sm_86"},     {"3070", "sm_86"},  {"3060", "sm_86"},
    {"a5000", "sm_86"},    {"a4000", "sm_86"}, {"orin", "sm_87"},
    {"thor", "sm_110"},    {"5090", "sm_120"}, {"5080", "sm_120"},
    {"5070", "sm_120"},    {"5060", "sm_120"}, {"6000 blackwell", "sm_120"},
    {"gb10", "sm_121"},    {"t4", "sm_75"},    {"2080", "sm_75"},
    {"2070", "sm_75"},
};

bool is_word_character(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

// Tells whether a word stands between other characters ("A800-SXM4-80GB", "H100 PCIe").
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

std::string architecture_of(const std::string& hardware) {
  const std::string name = lower(hardware);
  if (find_architecture(name) != nullptr) return name;
  for (const Device& device : devices)
    if (has_word(name, device.word)) return std::string(device.architecture);
  return "";
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::span<const Architecture> architectures() { return table; }

const Architecture* find_architecture(std::string_view name) {
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);  // sm_90a: limits of sm_90
  if (name.starts_with("sm_")) name.remove_prefix(3);
  for (const Architecture& one : table)
    if (one.name.substr(3) == name) return &one;
  return nullptr;
}

std::vector<std::string> architectures_of(std::span<const std::string> hardware) {
  std::vector<std::string> found;
  for (const std::string& name : hardware) {
    std::string architecture = architecture_of(name);
    if (!architecture.empty() && std::find(found.begin(), found.end(), architecture) == found.end())
      found.push_back(std::move(architecture));
  }
  return found;
}

std::vector<std::size_t> unknown_devices(std::span<const std::string> hardware) {
  std::vector<std::size_t> unknown;
  if (!architectures_of(hardware).empty()) return unknown;
  for (std::size_t i = 0; i < hardware.size(); ++i)
    if (hardware[i].find_first_of("0123456789") != std::string::npos) unknown.push_back(i);
  return unknown;
}

bool names_gpu(std::span<const std::string> hardware) {
  return !architectures_of(hardware).empty() ||
         std::any_of(hardware.begin(), hardware.end(),
                     [](const std::string& name) { return lower(name) == "cuda"; });
}

namespace {

// "sm_90a": 90 and 'a'; 0 for a name of no architecture.
struct Target {
  int number = 0;
  char variant = '\0';
};

Target target_of(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  if (!architecture.starts_with(prefix)) return {};
  const char* const end = architecture.data() + architecture.size();
  Target target;
  const auto [rest, error] =
      std::from_chars(architecture.data() + prefix.size(), end, target.number);
  if (error == std::errc() && rest != end) target.variant = *rest;
  return target;
}

}  // namespace

bool runs_on(std::string_view code, std::string_view device) {
  const Target made = target_of(code), there = target_of(device);
  if (made.number == 0 || made.variant == 'a') return made.number == there.number;
  return made.number / 10 == there.number / 10 && made.number <= there.number;
}

double occupancy(const Architecture& a, const KernelNeeds& needs, int block_threads) {
  if (block_threads < 1 || block_threads > most_block_threads || needs.registers > most_registers)
    return 0;
  const int block_warps = (block_threads + warp_threads - 1) / warp_threads;
  int blocks = std::min(a.blocks, a.warps / block_warps);
  if (needs.registers > 0) {
    const auto of_warp =
        static_cast<int>(rounded_up(std::int64_t{needs.registers} * warp_threads, register_unit));
    blocks = std::min(blocks, registers_of_part / of_warp * parts / block_warps);
  }
  if (needs.shared_bytes > a.block_shared_bytes) return 0;
  const std::int64_t of_block =
      rounded_up(needs.shared_bytes + a.reserved_shared_bytes, shared_unit);
  if (of_block > 0)
    blocks = static_cast<int>(std::min<std::int64_t>(blocks, a.shared_bytes / of_block));
  return static_cast<double>(blocks * block_warps) / a.warps;
}

}  // namespace kbench::gpu
