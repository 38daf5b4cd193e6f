#include "schema/launch_check.hpp"

#include <fmt/format.h>

#include "schema/names.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

void check_size(const LaunchSize& size, const std::string& pointer, const LaunchRange& range,
                Findings& out) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) {
    const std::string problem = range_problem(*number, range);
    if (!problem.empty()) out.push_back({pointer, problem, "", 0});
    return;
  }
  const auto parsed = python::parse_expression(std::get<std::string>(size));
  const auto* error = std::get_if<python::SyntaxError>(&parsed);
  if (error == nullptr) return;
  out.push_back({pointer, "expected a Python expression: " + error->message,
                 "as in \"(M + 127) // 128\"", error->offset});
}

void check_sizes(const std::vector<LaunchSize>& sizes, const std::string& pointer,
                 const std::array<LaunchRange, 3>& ranges, Findings& out) {
  if (sizes.size() > ranges.size())
    out.push_back({pointer + "/3", "a launch has x, y and z, and no more", "", 0});
  for (std::size_t i = 0; i < sizes.size() && i < ranges.size(); ++i)
    check_size(sizes[i], fmt::format("{}/{}", pointer, i), ranges[i], out);
}

// What a kernel by itself has no use for.
void check_beside(const BuildSpec& spec, Findings& out) {
  if (spec.language != Language::cuda)
    out.push_back({"/launch",
                   fmt::format("\"launch\" is of language cuda alone, and this is {}",
                               name_of(spec.language)),
                   "", 0});
  if (spec.binding)
    out.push_back({"/binding",
                   "a solution with \"launch\" has no binding: kbench launches its kernel",
                   "leave \"binding\" out", 0});
  if (!spec.destination_passing_style)
    out.push_back({"/destination_passing_style",
                   "a kernel returns nothing: a solution with \"launch\" writes to its outputs", "",
                   0});
  if (spec.link_flags && !spec.link_flags->empty())
    out.push_back({"/link_flags", "a solution with \"launch\" is not linked", "", 0});
}

}  // namespace

std::string range_problem(std::int64_t value, const LaunchRange& range) {
  if (value >= range.least && value <= range.most) return "";
  return fmt::format("expected {} to {}, found {}", range.least, range.most, value);
}

Findings check_launch(const BuildSpec& spec) {
  Findings out;
  if (!spec.launch) return out;
  check_beside(spec, out);
  check_sizes(spec.launch->grid, "/launch/grid", grid_range, out);
  check_sizes(spec.launch->block, "/launch/block", block_range, out);
  if (spec.launch->shared_bytes)
    check_size(*spec.launch->shared_bytes, "/launch/shared_bytes", shared_range, out);
  return out;
}

}  // namespace kbench
