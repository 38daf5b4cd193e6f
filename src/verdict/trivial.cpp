#include "verdict/trivial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "problem/element.hpp"
#include "verdict/error_tolerance.hpp"

namespace kbench {
namespace {

constexpr std::size_t trivial_block = 1024;

// Elements [first, first + values.size()) of an answer.
using Fill = std::function<void(std::size_t first, std::span<double> values)>;

Fill constant(double value) {
  return [value](std::size_t, std::span<double> out) { std::fill(out.begin(), out.end(), value); };
}

Fill copy(const TensorView& tensor) {
  return [&tensor](std::size_t first, std::span<double> out) {
    decode(tensor.dtype, tensor.data, first, out);
  };
}

// Returns the mean of the finite elements of [begin, end).
double mean_of(const TensorView& tensor, std::size_t begin, std::size_t end) {
  std::vector<double> values(std::min(trivial_block, end - begin));
  double sum = 0, count = 0;
  for (std::size_t first = begin; first < end; first += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), end - first));
    decode(tensor.dtype, tensor.data, first, part);
    for (const double value : part) {
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

Fill mean(const TensorView& answer) {
  return constant(mean_of(answer, 0, element_count(answer.shape)));
}

Fill row_means(const TensorView& answer) {
  const auto width = static_cast<std::size_t>(answer.shape.back());
  return [&answer, width](std::size_t first, std::span<double> out) {
    for (std::size_t k = 0; k < out.size();) {
      const std::size_t row = (first + k) / width;
      const double value = mean_of(answer, row * width, (row + 1) * width);
      for (; k < out.size() && (first + k) / width == row; ++k) out[k] = value;
    }
  };
}

// One trivial program: what it returns in a trial, if it can.
struct Program {
  std::string name;
  std::function<std::optional<Fill>(std::size_t trial)> answer;
};

class Gate {
 public:
  Gate(const VerdictRule& rule, const VerdictContext& context, std::span<const GateTrial> trials,
       std::size_t output, bool copies)
      : rule_(rule), context_(context), trials_(trials), output_(output), copies_(copies) {}

  bool is_judged() const {
    if (element_count(answer(0).shape) == 0) return false;
    const Standard* const standard = standard_of_first();
    return standard == nullptr || !std::holds_alternative<Anything>(*standard);
  }

  bool is_checked() const {
    const Standard* const standard = standard_of_first();
    return standard != nullptr && std::holds_alternative<Checked>(*standard);
  }

  std::vector<std::string> passing() const {
    std::vector<std::string> out;
    const Standard* const standard = standard_of_first();
    if (standard != nullptr && is_drawn(*standard)) return out;
    for (const Program& program : programs())
      if (passes(program)) out.push_back(program.name);
    return out;
  }

 private:
  const TensorView& answer(std::size_t trial) const { return trials_[trial].answers[output_]; }

  const Standard* standard_of_first() const {
    const auto& standards = trials_[0].standards;
    return output_ < standards.size() ? &standards[output_] : nullptr;
  }

  std::vector<Program> programs() const {
    const std::size_t width = answer(0).shape.empty() ? 1 : answer(0).shape.back();
    const std::size_t count = element_count(answer(0).shape);
    std::vector<Program> out;
    out.push_back({"zeros", [](std::size_t) { return constant(0); }});
    out.push_back({"ones", [](std::size_t) { return constant(1); }});
    if (count > 1) out.push_back({"mean", [this](std::size_t t) { return mean(answer(t)); }});
    if (width > 1 && width < count)
      out.push_back({"mean of each row", [this](std::size_t t) { return row_means(answer(t)); }});
    for (std::size_t i = 0; !copies_ && i < trials_[0].inputs.size(); ++i) {
      const NamedTensor& input = trials_[0].inputs[i];
      if (element_count(input.tensor.shape) != count) continue;
      out.push_back({"copy of " + input.name,
                     [this, i](std::size_t t) { return copy(trials_[t].inputs[i].tensor); }});
    }
    if (trials_.size() > 1) {
      out.push_back({"previous answer", [this](std::size_t t) -> std::optional<Fill> {
                       const std::size_t before = (t + trials_.size() - 1) % trials_.size();
                       if (answer(before).shape != answer(t).shape) return std::nullopt;
                       return copy(answer(before));
                     }});
    }
    return out;
  }

  bool passes(const Program& program) const {
    for (std::size_t t = 0; t < trials_.size(); ++t) {
      const auto fill = program.answer(t);
      if (!fill || is_beyond(t, *fill) || !is_accepted(t, *fill)) return false;
    }
    return true;
  }

  // Tells whether an element is beyond its limit: most answers are seen by it, at the first ones.
  bool is_beyond(std::size_t trial, const Fill& fill) const {
    const auto& standards = trials_[trial].standards;
    if (output_ >= standards.size()) return false;
    const auto* numbers = std::get_if<ErrorTolerance>(&standards[output_]);
    if (numbers == nullptr) return false;
    const ErrorTolerance& error_tolerance = *numbers;
    const DType dtype = answer(trial).dtype;
    std::vector<double> values(std::min(trivial_block, error_tolerance.size()));
    std::vector<std::byte> stored(storage_bytes(dtype, values.size()));
    for (std::size_t first = 0; first < error_tolerance.size(); first += values.size()) {
      const auto part =
          std::span(values).first(std::min(values.size(), error_tolerance.size() - first));
      fill(first, part);
      encode(dtype, std::span<const double>(part), stored.data(), 0);
      decode(dtype, stored.data(), 0, part);
      for (std::size_t k = 0; k < part.size(); ++k) {
        const double r = error_tolerance.answer(first + k);
        const bool counts = std::isfinite(r) && std::isfinite(part[k]) &&
                            std::fabs(r) <= error_tolerance.scale().largest;
        if (counts && std::fabs(part[k] - r) > error_tolerance.allowed(first + k)) return true;
      }
    }
    return false;
  }

  bool is_accepted(std::size_t trial, const Fill& fill) const {
    TensorView output = answer(trial);
    const std::size_t count = element_count(output.shape);
    std::vector<std::byte> stored(output.bytes);
    std::vector<double> values(trivial_block);
    for (std::size_t first = 0; first < count; first += trivial_block) {
      const auto part = std::span(values).first(std::min(trivial_block, count - first));
      fill(first, part);
      encode(output.dtype, std::span<const double>(part), stored.data(), first);
    }
    output.data = stored.data();
    if (is_checked()) return trials_[trial].check_accepts(output_, output);
    VerdictContext context = context_;
    if (output_ < context.names.size()) context.names = context.names.subspan(output_, 1);
    if (output_ < trials_[trial].standards.size())
      context.standards = trials_[trial].standards.subspan(output_, 1);
    return rule_.judge(context, std::span(&output, 1), std::span(&answer(trial), 1)).status ==
           Status::passed;
  }

  const VerdictRule& rule_;
  const VerdictContext& context_;
  std::span<const GateTrial> trials_;
  std::size_t output_;
  bool copies_;
};

}  // namespace

TrivialAnswers trivial_answers(const VerdictRule& rule, const VerdictContext& context,
                               std::span<const GateTrial> trials, bool copies) {
  TrivialAnswers out{{}, true};
  const std::size_t outputs = trials.empty() ? 0 : trials[0].answers.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    const Gate gate(rule, context, trials, i, copies);
    if (!gate.is_judged()) continue;
    std::vector<std::string> passing = gate.passing();
    out.everywhere &= !passing.empty();
    out.by_check |= gate.is_checked() && !passing.empty();
    for (std::string& name : passing) {
      const bool is_named = outputs > 1 && i < context.names.size();
      out.names.push_back(is_named ? fmt::format("{}: {}", context.names[i], name)
                                   : std::move(name));
    }
  }
  out.everywhere &= !out.names.empty();
  return out;
}

}  // namespace kbench
