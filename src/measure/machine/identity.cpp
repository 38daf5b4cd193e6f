#include "measure/machine/identity.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

// The value of the first line of that name.
std::optional<std::string_view> find_line(std::string_view cpuinfo, std::string_view name) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (colon != line.npos && trim(line.substr(0, colon)) == name)
      return trim(line.substr(colon + 1));
  }
  return std::nullopt;
}

// The kernel takes milliseconds to write the text for many cores, so it is asked once.
const std::string& cpuinfo() {
  static const std::string text = read_file_if_there("/proc/cpuinfo").value_or("");
  return text;
}

// The features that code for arithmetic is compiled for or chosen by; others come and go with the
// kernel and the hypervisor. Names as Linux has them, of x86 and of Arm.
constexpr std::string_view unit_prefixes[] = {
    "sse",   "ssse3", "avx",  "amx",  "fma",  "f16c", "bmi",       "abm", "popcnt",
    "movbe", "erms",  "fsrm", "vaes", "gfni", "sha",  "asimd",     "sve", "sme",
    "bf16",  "i8mm",  "neon", "vfp",  "fphp", "aes",  "vpclmulqdq"};

bool is_unit(std::string_view feature) {
  return std::any_of(std::begin(unit_prefixes), std::end(unit_prefixes),
                     [&](std::string_view prefix) { return feature.starts_with(prefix); });
}

std::int64_t cache_bytes(int which) { return std::max(0L, ::sysconf(which)); }

}  // namespace

CpuFingerprint cpu_fingerprint(std::string_view text) {
  const auto part = [&](std::string_view x86, std::string_view arm) {
    return find_line(text, x86).value_or(find_line(text, arm).value_or("?"));
  };
  CpuFingerprint out;
  out.name = fmt::format("{} {}-{}-{}", part("vendor_id", "CPU implementer"),
                         part("cpu family", "CPU architecture"), part("model", "CPU part"),
                         part("stepping", "CPU revision"));
  if (const auto name = find_line(text, "model name")) out.name += fmt::format(" {}", *name);
  out.units = cpu_features(text);
  std::erase_if(out.units, [](const std::string& feature) { return !is_unit(feature); });
  std::sort(out.units.begin(), out.units.end());
  return out;
}

CpuFingerprint cpu_fingerprint() {
  CpuFingerprint out = cpu_fingerprint(cpuinfo());
  out.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
  out.l3_bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE);
  return out;
}

std::string cpu_model() {
  return std::string(find_line(cpuinfo(), "model name").value_or("unknown CPU"));
}

std::vector<std::string> cpu_features(std::string_view text) {
  auto line = find_line(text, "flags");           // x86
  if (!line) line = find_line(text, "Features");  // Arm
  std::vector<std::string> features;
  for (const std::string_view word : split(line.value_or(""), ' '))
    if (!word.empty()) features.emplace_back(word);
  return features;
}

std::vector<std::string> cpu_features() { return cpu_features(cpuinfo()); }

// hardware_concurrency() counts those of the machine, also where a container or taskset gives few.
int core_count() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0) return std::max(1, CPU_COUNT(&mine));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than 1024
}

std::string machine_identity() {
  const auto installation = read_file_if_there("/etc/machine-id");
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}; {}; {}", cpu_model(), trim(installation.value_or("")), host.data());
}

}  // namespace kbench
