#include "judge/derive/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "problem/bind.hpp"
#include "problem/problem.hpp"

namespace kbench {
namespace {

const Where said{"--sweep"};
constexpr std::size_t most_sizes = 10'000;

bool read_values(std::string_view text, std::vector<std::int64_t>& values) {
  for (std::string_view word : split(text, ',')) {
    word = trim(word);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || end != word.data() + word.size() || value < 0) return false;
    values.push_back(value);
  }
  return true;
}

bool has_twice(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) != values.end();
}

// RFC 9562's version 8: a digest of our own choice.
std::string uuid_of(const Workload& given, const OrderedMap<std::int64_t>& axes) {
  std::string text = "kbench sweep 1\n" + given.uuid;
  for (const auto& [name, length] : axes) text += fmt::format("\n{} {}", name, length);
  const std::string digest = sha256_hex(text);
  return fmt::format("{}-{}-8{}-a{}-{}", digest.substr(0, 8), digest.substr(8, 4),
                     digest.substr(12, 3), digest.substr(15, 3), digest.substr(18, 12));
}

bool check_axis(const Definition& definition, const SweepAxis& axis, Diagnostics& out) {
  const Axis* const known = definition.axes.find(axis.name);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : definition.axes)
      if (!const_value(kind)) names.push_back(name);
    const std::string guess = did_you_mean(axis.name, names);
    out.error(said, fmt::format("{} has no axis {}", definition.name, axis.name),
              guess.empty() ? "its var axes are " + join(names, ", ") : guess);
    return false;
  }
  const auto constant = const_value(*known);
  if (constant)
    out.error(said,
              fmt::format("axis {} of {} is const {}: it has no other length", axis.name,
                          definition.name, *constant),
              "another length is another Definition");
  return !constant;
}

// A file's tensors have the lengths that they have.
bool check_files(const Definition& definition, const Workload& given, const Sweep& sweep,
                 Diagnostics& out) {
  bool good = true;
  for (const auto& [name, source] : given.inputs) {
    const TensorSpec* const spec = definition.inputs.find(name);
    const bool is_file = std::holds_alternative<SafetensorsInput>(source);
    if (!is_file || spec == nullptr || !spec->shape) continue;
    for (const SweepAxis& axis : sweep) {
      if (std::find(spec->shape->begin(), spec->shape->end(), axis.name) == spec->shape->end())
        continue;
      out.error(said,
                fmt::format("input {} of workload {} is from a file: its axis {} has one length",
                            name, given.uuid, axis.name),
                "sweep a workload whose inputs are random");
      good = false;
    }
  }
  return good;
}

std::string sizes_text(const OrderedMap<std::int64_t>& axes, const Sweep& sweep) {
  std::vector<std::string> words;
  for (const SweepAxis& axis : sweep)
    words.push_back(fmt::format("{}={}", axis.name, *axes.find(axis.name)));
  return join(words, " ");
}

// Faults that bind() finds in one size stand where the size does: at the option, and name the size.
// A size that leaves nothing to judge is refused: no solution would be wrong.
bool check_size(const Definition& definition, const Stored<Trace>& line, const Sweep& sweep,
                Diagnostics& out) {
  Diagnostics found;
  const auto problem = bind(definition, line.record.workload, Place(line.path, line.line), found);
  if (problem && has_empty_outputs(*problem))
    found.error({}, "no output has an element: nothing would be judged");
  for (const Diagnostic& one : found.items()) {
    if (one.level != Level::error) continue;
    out.error(said,
              fmt::format("{}: {}", sizes_text(line.record.workload.axes, sweep),
                          std::string_view(one.message).substr(one.subject)),
              one.hint);
  }
  return found.errors() == 0;
}

}  // namespace

Sweep read_sweep(const std::vector<std::string>& words, Diagnostics& out) {
  Sweep sweep;
  std::size_t sizes = 1;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    SweepAxis axis;
    axis.name = trim(std::string_view(word).substr(0, equals));
    const bool is_good = equals != std::string::npos && !axis.name.empty() &&
                         read_values(std::string_view(word).substr(equals + 1), axis.values);
    const bool is_known = std::any_of(sweep.begin(), sweep.end(), [&](const SweepAxis& other) {
      return other.name == axis.name;
    });
    if (!is_good)
      out.error(said, fmt::format("\"{}\" is no axis and its lengths", word),
                "as in batch_size=1,8,64");
    else if (is_known || has_twice(axis.values))
      out.error(said, fmt::format("\"{}\": {} stands there twice", word,
                                  is_known ? "the axis" : "a length"));
    sizes *= std::max<std::size_t>(axis.values.size(), 1);
    sweep.push_back(std::move(axis));
  }
  if (sizes > most_sizes)
    out.error(said,
              fmt::format("these are {} sizes, of which {} are judged at most", sizes, most_sizes));
  return sweep;
}

std::vector<Stored<Trace>> sweep_workloads(const Definition& definition, const Stored<Trace>& given,
                                           const Sweep& sweep, Diagnostics& out) {
  bool good = true;
  for (const SweepAxis& axis : sweep) good &= check_axis(definition, axis, out);
  if (!good || !check_files(definition, given.record.workload, sweep, out)) return {};
  std::size_t sizes = 1;
  for (const SweepAxis& axis : sweep) sizes *= axis.values.size();
  std::vector<Stored<Trace>> lines;
  for (std::size_t i = 0; i < sizes; ++i) {
    Stored<Trace> line = given;
    Workload& workload = line.record.workload;
    std::size_t rest = i;
    for (auto axis = sweep.rbegin(); axis != sweep.rend(); ++axis) {
      workload.axes[axis->name] = axis->values[rest % axis->values.size()];
      rest /= axis->values.size();
    }
    if (workload.axes.items != given.record.workload.axes.items)
      workload.uuid = uuid_of(given.record.workload, workload.axes);
    if (check_size(definition, line, sweep, out)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kbench
