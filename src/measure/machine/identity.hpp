// Identity of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

std::string cpu_model();  // name that the kernel gives it

// Features of the processor, in the kernel's words: "avx512f", …
std::vector<std::string> cpu_features();
// Reads them from the text of /proc/cpuinfo, for its first processor.
std::vector<std::string> cpu_features(std::string_view cpuinfo);

// Cores that this process may use; at least 1.
int core_count();

// This machine among others: the CPU's model and the installation, and the host's name.
// Measurements on it hold for no other.
std::string machine_identity();

// Facts of a processor that decide which of several programs is fastest on it: two containers of
// one kind of host are the same here.
struct CpuFingerprint {
  std::string name;                // "AuthenticAMD 25-17-1 AMD EPYC": family, model, stepping
  std::vector<std::string> units;  // instruction sets for arithmetic and moving data, sorted
  std::int64_t l2_bytes = 0;       // 0: not known
  std::int64_t l3_bytes = 0;
};
CpuFingerprint cpu_fingerprint();
// Reads it from the text of /proc/cpuinfo, for its first processor; without caches.
CpuFingerprint cpu_fingerprint(std::string_view cpuinfo);

}  // namespace kbench
