#include "report/workload_text.hpp"

#include <fmt/format.h>

namespace kbench {

std::string workload_text(const Workload& workload) {
  std::string out;
  for (const auto& [name, value] : workload.axes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out.empty() ? workload.uuid : out;
}

}  // namespace kbench
