#include "cli/kernels/call_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/shell/values.hpp"

namespace kbench {
namespace {

void wrong(Diagnostics& out, std::string message, std::string hint = "") {
  out.error({"--axes", 0, 0, "", ""}, std::move(message), std::move(hint));
}

}  // namespace

void read_axes(const std::vector<std::string>& words, std::map<std::string, std::int64_t>& axes,
               Diagnostics& out) {
  for (const std::string& word : words) {
    for (const std::string_view item : split(word, ',')) {
      const std::size_t equals = item.find('=');
      const auto size = equals == std::string_view::npos
                            ? std::nullopt
                            : parse_integer(std::string(trim(item.substr(equals + 1))));
      const std::string name(trim(item.substr(0, equals)));
      if (!size || name.empty()) {
        wrong(out, fmt::format("\"{}\" is no axis and its size, as in M=8", item));
      } else {
        axes[name] = *size;
      }
    }
  }
}

void check_lengths(const std::map<std::string, std::int64_t>& axes, Diagnostics& out) {
  for (const auto& [name, size] : axes) {
    if (size < 0)
      wrong(out, fmt::format("\"{}={}\" is no axis and its size, as in M=8", name, size));
  }
}

void check_axes(const std::map<std::string, std::int64_t>& axes, const Definition& definition,
                Diagnostics& out) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : definition.axes) names.push_back(name);
  for (const auto& [name, input] : definition.inputs) {
    if (!input.shape) names.push_back(name);
  }
  for (const auto& [name, size] : axes) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string hint = did_you_mean(name, names);
      wrong(out, fmt::format("{} has no axis {}", definition.name, name),
            hint.empty() ? "its axes are " + join(names, ", ") : hint);
      continue;
    }
    const Axis* const axis = definition.axes.find(name);
    if (axis == nullptr) continue;  // a scalar's value
    check_lengths({{name, size}}, out);
    const auto length = const_value(*axis);
    if (length && *length != size)
      wrong(out, fmt::format("{} is {} in {}, not {}", name, *length, definition.name, size));
  }
}

}  // namespace kbench
