#include "judge/emulated_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "exec/sanitizer_report.hpp"

namespace kbench {
namespace {

// They were measured with one row of gemm_n4096_k4096 and the plain kernel, on one core of an EPYC.
constexpr double flops_per_second = 2e7;
constexpr double bytes_per_second = 1e7;

}  // namespace

double emulated_seconds(const Work& work) {
  const double moved = static_cast<double>(work.bytes_touched.value_or(work.bytes));
  return std::max(work.flops.value_or(0) / flops_per_second, moved / bytes_per_second);
}

void check_emulated_size(const PreparedWorkload& workload, const Emulation& emulation) {
  const double seconds = emulated_seconds(workload.work);
  if (seconds <= emulation.limit_seconds) return;
  throw NotEmulated(fmt::format(
      "too large to emulate: a call would take about {}, and {} are the limit (--emulate-limit)",
      human_time(seconds * 1e9), human_time(emulation.limit_seconds * 1e9)));
}

}  // namespace kbench
