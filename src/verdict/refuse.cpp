// What every rule says alike.
#include <fmt/format.h>

#include <utility>

#include "schema/dtype.hpp"
#include "verdict/error_map.hpp"
#include "verdict/rules.hpp"

namespace kbench {

Verdict refuse(Status status, std::string detail) {
  Verdict verdict;
  verdict.status = status;
  verdict.detail = std::move(detail);
  verdict.ends_judging = true;
  return verdict;
}

std::optional<Verdict> refuse_unlike(const std::string& which, const TensorView& output,
                                     const TensorView& reference) {
  if (output.shape != reference.shape) {
    return refuse(Status::incorrect_shape,
                  fmt::format("{}: shape {}, expected {}", which, shape_text(output.shape),
                              shape_text(reference.shape)));
  }
  if (output.dtype != reference.dtype) {
    return refuse(Status::incorrect_dtype,
                  fmt::format("{}: dtype {}, expected {}", which, info(output.dtype).name,
                              info(reference.dtype).name));
  }
  return std::nullopt;
}

std::string output_name(const VerdictContext& context, std::size_t index) {
  if (index < context.names.size()) return fmt::format("output \"{}\"", context.names[index]);
  return fmt::format("output {}", index);
}

void draw_misses(Verdict& verdict, const VerdictContext& context, std::size_t index,
                 const std::vector<bool>& missed, const std::vector<std::int64_t>& shape) {
  if (missed.empty()) return;
  const std::string name =
      index < context.names.size() ? context.names[index] : std::to_string(index);
  verdict.error_map = error_map(name, missed, shape);
}

}  // namespace kbench
