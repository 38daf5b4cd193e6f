#include "report/limit_share.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kbench {

std::optional<double> limit_share(const Evaluation& evaluation) {
  if (!evaluation.correctness || !evaluation.correctness->extra) return std::nullopt;
  const auto extra = nlohmann::json::parse(evaluation.correctness->extra->text, nullptr,
                                           /*allow_exceptions=*/false);
  const auto found = extra.is_object() ? extra.find("margin") : extra.end();
  return found != extra.end() && found->is_number() ? std::optional(found->get<double>())
                                                    : std::nullopt;
}

std::string limit_share_text(double share) {
  if (share > 10) return ">1000%";
  return fmt::format("{:.{}f}%", 100 * share, share > 0 && share < 0.0995 ? 1 : 0);
}

}  // namespace kbench
