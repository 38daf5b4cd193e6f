#include "reference/torch/serving/exact_answer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <cstring>
#include <exception>
#include <numbers>
#include <set>
#include <string>

#include "problem/tensor_view.hpp"
#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/exact/rounding_work.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {
namespace {

constexpr std::int64_t most_elements = 1 << 26;
constexpr std::size_t most_alternates = 1 << 22;
constexpr RunCounts moved_runs{8, 32};

// Splits pairs of float4.
at::Tensor codes_of(const at::Tensor& output) {
  return output.scalar_type() == at::kFloat4_e2m1fn_x2 ? output.view(at::kByte) : output;
}

// Returns the alternates of one run.
std::vector<Alternate> alternates(const at::Tensor& own, const at::Tensor& moved) {
  if (own.sizes() != moved.sizes()) return {};
  const at::Tensor flat = moved.reshape(-1);
  const at::Tensor where = own.reshape(-1).ne(flat).nonzero().reshape(-1);
  const at::Tensor values = flat.index_select(0, where).to(at::kLong).contiguous();
  const auto* places = where.const_data_ptr<std::int64_t>();
  const auto* numbers = values.const_data_ptr<std::int64_t>();
  std::vector<Alternate> out;
  for (std::int64_t i = 0; i < where.numel(); ++i) out.push_back({places[i], numbers[i]});
  return out;
}

// Observations of one output.
struct Series {
  std::size_t output = 0;
  std::set<Alternate> seen;
  double differing = 0;  // number of elements in a run, on average
};

std::vector<Series> seen_with(const std::vector<at::Tensor>& outputs,
                              const std::vector<std::size_t>& wanted, double size, int runs,
                              const MovedRun& run) {
  std::vector<Series> all;
  for (const std::size_t output : wanted) all.push_back({output, {}, 0});
  for (int number = 1; number <= runs; ++number) {
    const auto other = run(size, static_cast<std::uint64_t>(number));
    for (Series& one : all) {
      if (one.seen.size() > most_alternates) continue;
      const std::vector<Alternate> found =
          alternates(codes_of(outputs[one.output]), codes_of(other[one.output]));
      one.differing += static_cast<double>(found.size()) / runs;
      one.seen.insert(found.begin(), found.end());
    }
  }
  return all;
}

}  // namespace

bool may_have_alternates(const at::Tensor& output) {
  const auto type = output.scalar_type();
  return (c10::isIntegralType(type, false) || type == at::kFloat4_e2m1fn_x2) &&
         output.numel() <= most_elements;
}

std::vector<std::vector<SeenAlternates>> find_alternates(const std::vector<at::Tensor>& outputs,
                                                         const std::vector<std::size_t>& wanted,
                                                         const ExactEffort& effort,
                                                         double run_seconds, const MovedRun& run) {
  std::vector<std::vector<SeenAlternates>> out(outputs.size());
  const int runs = runs_within(effort.budget_seconds, run_seconds, moved_runs);
  for (const double size : effort.moves) {
    for (const std::size_t output : wanted) out[output].emplace_back();
    try {
      for (const Series& one : seen_with(outputs, wanted, size, runs, run)) {
        if (one.seen.size() > most_alternates) continue;
        out[one.output].back() = {{one.seen.begin(), one.seen.end()}, one.differing};
      }
    } catch (const std::exception&) {  // the reference refuses moved inputs
    }
  }
  return out;
}

namespace {

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

DType known_dtype(const at::Tensor& tensor) {
  if (const auto dtype = dtype_of(tensor.scalar_type())) return *dtype;
  throw RaisedError(std::string("an output is ") + c10::toString(tensor.scalar_type()), 0);
}

// Describes a tensor but for its place in memory.
ExactOutput describe(const at::Tensor& tensor) {
  ExactOutput output;
  output.is_floating = tensor.scalar_type() == at::kDouble;
  output.shape = tensor.sizes().vec();
  output.bytes = tensor.nbytes();
  if (output.is_floating) return output;
  output.dtype = known_dtype(tensor);
  if (output.dtype == DType::float4_e2m1 && !output.shape.empty()) output.shape.back() *= 2;
  return output;
}

}  // namespace

ExactAnswerMemory::ExactAnswerMemory(const std::vector<at::Tensor>& tensors,
                                     std::vector<OutputOrigin> origins,
                                     const std::vector<ChoiceEvent>& events)
    : origins_(std::move(origins)) {
  origins_.resize(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ExactOutput output = describe(tensors[i]);
    output.offset = total_;
    total_ += whole_pages(output.bytes);
    output.condition_offset = total_;
    if (output.is_floating) total_ += whole_pages(output.bytes);
    std::size_t scores = 0;
    for (const std::size_t event : origins_[i].events)
      scores += static_cast<std::size_t>(events[event].scores.numel());
    place(output, origins_[i], scores);
    outputs_.push_back(std::move(output));
  }
  memory_ = SharedMemory("kbench exact outputs", total_);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    store(outputs_[i], origins_[i], events);
    if (outputs_[i].bytes == 0) continue;
    const at::Tensor whole = tensors[i].contiguous();
    std::memcpy(memory_.data() + outputs_[i].offset, whole.const_data_ptr(), outputs_[i].bytes);
  }
}

void ExactAnswerMemory::place(ExactOutput& output, const OutputOrigin& origin, std::size_t scores) {
  const auto make_room = [&](std::size_t count, std::size_t numbers = 1) {
    const MemoryPart part{total_, count};
    total_ += whole_pages(count * numbers * sizeof(double));
    return part;
  };
  output.rounding = origin.rounding;
  output.after_product = origin.history.after_product;
  output.after_codes = origin.history.after_codes;
  output.only_sums = !origin.history.more_than_sums;
  output.is_uncertain = origin.history.is_uncertain;
  if (output.is_floating && origin.is_rounded)
    output.roundings = make_room(output.bytes / sizeof(double));
  output.choice_rows = make_room(origin.rows.size(), sizeof(ChoiceRow) / sizeof(double));
  output.slots = make_room(origin.slots.size());
  output.options = make_room(origin.options.size());
  output.scores = make_room(scores);
  output.score_condition = make_room(scores);
  for (const SeenAlternates& one : origin.moved)
    output.moved.push_back({make_room(2 * one.seen.size()), one.per_run});
}

void ExactAnswerMemory::store(const ExactOutput& output, const OutputOrigin& origin,
                              const std::vector<ChoiceEvent>& events) {
  const auto copy = [&](const MemoryPart& part, const auto& from) {
    if (part.count > 0)
      std::memcpy(memory_.data() + part.offset, from.data(), part.count * sizeof(from.front()));
  };
  copy(output.choice_rows, origin.rows);
  copy(output.slots, origin.slots);
  copy(output.options, origin.options);
  for (std::size_t i = 0; i < origin.moved.size(); ++i) {
    const std::vector<Alternate>& seen = origin.moved[i].seen;
    if (!seen.empty())
      std::memcpy(memory_.data() + output.moved[i].seen.offset, seen.data(),
                  seen.size() * sizeof(Alternate));
  }
  std::size_t at = output.scores.offset;
  for (const std::size_t event : origin.events) {
    const at::Tensor whole = events[event].scores.contiguous();
    std::memcpy(memory_.data() + at, whole.const_data_ptr(), whole.nbytes());
    at += whole.nbytes();
  }
}

void ExactAnswerMemory::add(const std::vector<at::Tensor>& perturbed,
                            const std::vector<ChoiceEvent>& events) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Arrays into = arrays(outputs_[i]);
    if (outputs_[i].is_floating) {
      if (perturbed[i].sizes() != at::IntArrayRef(outputs_[i].shape))
        throw RaisedError("the shape of an output depends on how its inputs are rounded", 0);
      add_squares(into, 0, perturbed[i]);
    }
    std::size_t first = 0;
    for (const std::size_t event : origins_[i].events) {
      const bool is_there = event < events.size() && events[event].scores.defined();
      const std::size_t count =
          is_there ? static_cast<std::size_t>(events[event].scores.numel()) : into.count;
      if (first + count > into.count)
        throw RaisedError("what a reference chooses from depends on how its inputs are rounded", 0);
      add_squares(into, first, events[event].scores);
      first += count;
    }
  }
}

void ExactAnswerMemory::add_squares(const Arrays& arrays, std::size_t first,
                                    const at::Tensor& perturbed) {
  const at::Tensor whole = perturbed.contiguous();
  const double* other = whole.const_data_ptr<double>();
  for (std::size_t k = 0; k < static_cast<std::size_t>(whole.numel()); ++k) {
    const double difference = other[k] - arrays.values[first + k];
    if (std::isfinite(difference)) arrays.condition[first + k] += difference * difference;
  }
}

void ExactAnswerMemory::finish(const Arrays& arrays, int runs, double scale) {
  for (std::size_t k = 0; k < arrays.count; ++k)
    arrays.condition[k] = scale * std::sqrt(arrays.condition[k] / runs);
}

void ExactAnswerMemory::finish(int runs, double roundoff) {
  if (runs == 0) return;
  for (const ExactOutput& output : outputs_)
    finish(arrays(output), runs, std::numbers::sqrt3 / roundoff);
}

void ExactAnswerMemory::add_rounded(const std::vector<at::Tensor>& rounded) {
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    // Runs that came to another shape say nothing of single elements.
    if (outputs_[i].roundings.count > 0 && rounded[i].sizes() == outputs_[i].shape)
      add_squares(roundings(outputs_[i]), 0, rounded[i]);
}

void ExactAnswerMemory::finish_rounded(int runs) {
  for (const ExactOutput& output : outputs_)
    if (output.roundings.count > 0) finish(roundings(output), runs, 1);
}

ExactAnswerMemory::Arrays ExactAnswerMemory::roundings(const ExactOutput& output) {
  Arrays of = arrays(output);
  of.condition = reinterpret_cast<double*>(memory_.data() + output.roundings.offset);
  return of;
}

void ExactAnswerMemory::move_to(ExecuteResult& result) {
  result.reply.exact = std::move(outputs_);
  result.outputs = std::move(memory_);
}

ExactAnswerMemory::Arrays ExactAnswerMemory::arrays(const ExactOutput& output) {
  const auto at = [&](std::size_t offset) {
    return reinterpret_cast<double*>(memory_.data() + offset);
  };
  if (output.is_floating)
    return {at(output.offset), at(output.condition_offset), output.bytes / sizeof(double)};
  return {at(output.scores.offset), at(output.score_condition.offset), output.scores.count};
}

}  // namespace kbench
