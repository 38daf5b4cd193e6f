#include "judge/derive/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "kernels/registry/sharding.hpp"
#include "problem/bind.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

// Place of an axis in a tensor's shape; its second place there does not count.
int dimension_of(const TensorSpec& spec, std::string_view axis) {
  if (!spec.shape) return -1;
  const auto found = std::find(spec.shape->begin(), spec.shape->end(), axis);
  return found == spec.shape->end() ? -1 : static_cast<int>(found - spec.shape->begin());
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return join(words, ", ");
}

class LayoutMaker {
 public:
  LayoutMaker(const Definition& definition, const Problem& whole, const ShardRequest& request,
              const Where& said, Diagnostics& out)
      : definition_(definition), whole_(whole), request_(request), said_(said), out_(out) {}

  LayoutTrial make() {
    const std::size_t before = out_.errors();
    check_cut(definition_, request_.axes, {}, said_, out_);
    check_cut(definition_, {}, request_.tensors, tensors_said(), out_);
    if (out_.errors() != before) return {};
    ShardLayout layout{request_.axes, request_.ranks, {}, {}};
    for (const auto& [name, spec] : definition_.inputs)
      layout.inputs.push_back(dimension_for(name, spec));
    for (const auto& [name, spec] : definition_.outputs)
      layout.outputs.push_back(dimension_for(name, spec));
    if (out_.errors() != before) return {};
    check_lengths(layout);
    check_carried(layout);
    if (out_.errors() == before && has_empty_outputs(whole_))
      error(fmt::format("no output of workload {} has an element: nothing would be judged",
                        whole_.workload));
    if (out_.errors() != before) return {};
    check_constraints(layout);
    if (out_.errors() != before) return {std::nullopt, true};
    return {layout, false};
  }

 private:
  const Where& tensors_said() const {
    return request_.tensors_said ? *request_.tensors_said : said_;
  }

  void error(std::string message, std::string hint = "") {
    out_.error(said_, std::move(message), std::move(hint));
  }

  // -1 for a tensor that every rank has whole.
  int dimension_for(const std::string& name, const TensorSpec& spec) {
    if (const std::string* said = request_.tensors.find(name)) {
      if (*said == replicated) return -1;
      const int dimension = dimension_of(spec, *said);
      if (dimension < 0)
        out_.error(tensors_said(), fmt::format("{} has no axis {} to be cut by", name, *said));
      return checked(name, spec, *said, dimension);
    }
    std::vector<std::string> carried;
    for (const std::string& axis : request_.axes)
      if (dimension_of(spec, axis) >= 0) carried.push_back(axis);
    if (carried.empty()) return -1;
    if (carried.size() == 1)
      return checked(name, spec, carried.front(), dimension_of(spec, carried.front()));
    error(fmt::format("{} carries {}: a tensor is cut by one axis", name, join(carried, " and ")),
          fmt::format("say by which one: --tensor {}={}, or {}={}", name, carried.front(), name,
                      replicated));
    return -1;
  }

  int checked(const std::string& name, const TensorSpec& spec, const std::string& axis,
              int dimension) {
    if (spec.shape && std::count(spec.shape->begin(), spec.shape->end(), axis) > 1)
      error(fmt::format("{} carries {} twice: cut along one of the two it has another meaning",
                        name, axis));
    return dimension;
  }

  void check_lengths(const ShardLayout& layout) {
    std::vector<std::string> seen;
    const auto check = [&](const TensorPlan& tensor, const TensorSpec& spec, int dimension) {
      if (dimension < 0) return;
      const std::string& axis = (*spec.shape)[static_cast<std::size_t>(dimension)];
      const std::int64_t length = tensor.shape[static_cast<std::size_t>(dimension)];
      const bool is_new = std::find(seen.begin(), seen.end(), axis) == seen.end();
      if (length == 0 && is_new) {
        seen.push_back(axis);
        error(fmt::format("axis {} = 0 of {}: there is nothing to cut", axis, tensor.name));
      } else if (length % layout.ranks != 0 && is_new) {
        seen.push_back(axis);
        error(fmt::format("{} ranks do not divide axis {} = {} of {}", layout.ranks, axis, length,
                          tensor.name),
              fmt::format("its divisors near {}: {}", layout.ranks,
                          list_text(divisors_near(length, layout.ranks))));
      } else if (length % layout.ranks == 0 &&
                 !has_whole_bytes(tensor.dtype, tensor.shape, {dimension, 0, layout.ranks})) {
        error(fmt::format("{} ranks cut {} within a byte: two elements of {} share one",
                          layout.ranks, tensor.name, info(tensor.dtype).name));
      }
    };
    for (std::size_t i = 0; i < layout.inputs.size(); ++i)
      check(whole_.inputs[i].tensor, definition_.inputs.items[i].second, layout.inputs[i]);
    for (std::size_t i = 0; i < layout.outputs.size(); ++i)
      check(whole_.outputs[i], definition_.outputs.items[i].second, layout.outputs[i]);
  }

  // An axis that is of no input cuts nothing: each rank would do all of the work.
  void check_carried(const ShardLayout&) {
    for (const std::string& axis : request_.axes) {
      const bool is_carried =
          std::any_of(definition_.inputs.begin(), definition_.inputs.end(),
                      [&](const auto& input) { return dimension_of(input.second, axis) >= 0; });
      if (!is_carried)
        error(fmt::format("no input of {} carries axis {}: there is nothing to cut",
                          definition_.name, axis));
    }
  }

  void check_constraints(const ShardLayout& layout) {
    const Problem local = rank_problem(whole_, layout);
    const ConstraintScope scope = scope_of(local);
    for (const std::string& constraint : definition_.constraints) {
      const ConstraintResult result = check_constraint(constraint, scope);
      if (result.outcome != ConstraintResult::Outcome::violated) continue;
      std::vector<std::string> values;
      for (const std::string& name : result.used_names)
        values.push_back(fmt::format("{} = {}", name, number_text(scope.number(name).value_or(0))));
      error(fmt::format("constraint \"{}\" does not hold of what one of {} ranks has: {}",
                        constraint, layout.ranks, join(values, ", ")),
            "cut all axes that it speaks of: --axis A,B");
    }
  }

  const Definition& definition_;
  const Problem& whole_;
  const ShardRequest& request_;
  const Where& said_;
  Diagnostics& out_;
};

void cut(TensorPlan& tensor, int dimension, std::int64_t ranks) {
  if (dimension >= 0) tensor.shape[static_cast<std::size_t>(dimension)] /= ranks;
}

bool same_lengths(const Problem& a, const Problem& b) {
  const auto is_length = [&b](const auto& axis) {
    const std::int64_t* const other = b.axes.find(axis.first);
    return other != nullptr && *other == axis.second;
  };
  const auto is_input = [](const InputPlan& one, const InputPlan& other) {
    return one.tensor.shape == other.tensor.shape;
  };
  const auto is_output = [](const TensorPlan& one, const TensorPlan& other) {
    return one.shape == other.shape;
  };
  return std::all_of(a.axes.begin(), a.axes.end(), is_length) &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), is_input) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    is_output);
}

// A slice is `rows` pieces of `bytes` bytes, `stride` bytes apart in the whole tensor.
struct Pieces {
  std::size_t rows = 1;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  std::size_t begin = 0;
};

std::size_t inner_elements(const std::vector<std::int64_t>& shape, int dimension) {
  std::size_t count = 1;
  for (std::size_t i = static_cast<std::size_t>(dimension); i < shape.size(); ++i)
    count *= static_cast<std::size_t>(shape[i]);
  return count;
}

Pieces pieces_of(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice) {
  Pieces pieces;
  for (int i = 0; i < slice.dimension; ++i)
    pieces.rows *= static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
  pieces.stride = storage_bytes(dtype, inner_elements(shape, slice.dimension));
  pieces.bytes = pieces.stride / static_cast<std::size_t>(slice.parts);
  pieces.begin = pieces.bytes * static_cast<std::size_t>(slice.part);
  return pieces;
}

}  // namespace

bool ShardLayout::cuts_all_outputs() const {
  return std::all_of(outputs.begin(), outputs.end(), [](int dimension) { return dimension >= 0; });
}

std::optional<ShardLayout> shard_layout(const Definition& definition, const Problem& whole,
                                        const ShardRequest& request, const Where& said,
                                        Diagnostics& diagnostics) {
  return try_layout(definition, whole, request, said, diagnostics).layout;
}

LayoutTrial try_layout(const Definition& definition, const Problem& whole,
                       const ShardRequest& request, const Where& said, Diagnostics& diagnostics) {
  return LayoutMaker(definition, whole, request, said, diagnostics).make();
}

Problem rank_problem(const Problem& whole, const ShardLayout& layout) {
  Problem local = whole;
  for (const std::string& axis : layout.axes) local.axes[axis] /= layout.ranks;
  for (std::size_t i = 0; i < layout.inputs.size(); ++i)
    cut(local.inputs[i].tensor, layout.inputs[i], layout.ranks);
  for (std::size_t i = 0; i < layout.outputs.size(); ++i)
    cut(local.outputs[i], layout.outputs[i], layout.ranks);
  return local;
}

std::optional<Problem> call_alone(const Definition& definition, Workload workload,
                                  const Problem& local) {
  for (auto& [name, length] : workload.axes) {
    if (const std::int64_t* const here = local.axes.find(name)) length = *here;
  }
  Diagnostics ignored;
  auto alone = bind(definition, workload, Place(), ignored);
  if (!alone || !same_lengths(*alone, local)) return std::nullopt;
  return alone;
}

Inputs rank_inputs(const Inputs& whole, const Problem& local, const ShardLayout& layout,
                   std::int64_t rank) {
  Inputs inputs;
  std::size_t end = 0;
  for (std::size_t i = 0; i < whole.values.size(); ++i) {
    BoundInput bound = whole.values[i];
    if (!bound.scalar) {
      bound.tensor.shape = local.inputs[i].tensor.shape;
      bound.tensor.bytes = storage_bytes(bound.tensor.dtype, element_count(bound.tensor.shape));
      // A shard ends flush with its pages: a read beyond it is a fault, not another's.
      const Placement placed = among_pages(bound.tensor.bytes, page_bytes);
      bound.offset = end + placed.data;
      end += placed.size;
      if (layout.inputs[i] >= 0) bound.origin.clear();  // the bytes tell
    }
    inputs.values.push_back(std::move(bound));
  }
  inputs.memory = SharedMemory("kbench-rank-inputs", end);
  for (std::size_t i = 0; i < whole.values.size(); ++i) {
    BoundInput& bound = inputs.values[i];
    if (bound.scalar) continue;
    std::byte* const data = inputs.memory.data() + bound.offset;
    const bool is_cut = layout.inputs[i] >= 0;
    copy_slice(whole.values[i].tensor,
               is_cut ? Slice{layout.inputs[i], rank, layout.ranks} : Slice{}, data);
    bound.tensor.data = data;
  }
  inputs.memory.seal_for_others();
  return inputs;
}

std::string layout_text(const Problem& local, const ShardLayout& layout) {
  std::vector<std::string> words;
  const auto add = [&](const TensorPlan& tensor, int dimension) {
    if (tensor.is_scalar) return;
    words.push_back(fmt::format("{} {}{}", tensor.name, shape_text(tensor.shape),
                                dimension < 0 ? " whole" : ""));
  };
  for (std::size_t i = 0; i < layout.inputs.size(); ++i)
    add(local.inputs[i].tensor, layout.inputs[i]);
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) add(local.outputs[i], layout.outputs[i]);
  return join(words, ", ");
}

std::vector<std::int64_t> divisors_near(std::int64_t length, std::int64_t ranks) {
  std::vector<std::int64_t> near;
  for (std::int64_t n = std::min(ranks - 1, length); n >= 1 && near.size() < 2; --n)
    if (length % n == 0) near.insert(near.begin(), n);
  const std::size_t below = near.size();
  for (std::int64_t n = std::max<std::int64_t>(ranks, 1); n <= length && near.size() < below + 2;
       ++n)
    if (length % n == 0) near.push_back(n);
  return near;
}

bool has_whole_bytes(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice) {
  const std::size_t elements =
      inner_elements(shape, slice.dimension) / static_cast<std::size_t>(slice.parts);
  return elements * static_cast<std::size_t>(info(dtype).bits) % 8 == 0;
}

void copy_slice(const TensorView& whole, const Slice& slice, std::byte* to) {
  const Pieces pieces = pieces_of(whole.dtype, whole.shape, slice);
  for (std::size_t row = 0; pieces.bytes > 0 && row < pieces.rows; ++row)
    std::memcpy(to + row * pieces.bytes, whole.data + row * pieces.stride + pieces.begin,
                pieces.bytes);
}

void place_slice(const TensorView& part, const Slice& slice, const std::vector<std::int64_t>& shape,
                 std::byte* whole) {
  const Pieces pieces = pieces_of(part.dtype, shape, slice);
  for (std::size_t row = 0; pieces.bytes > 0 && row < pieces.rows; ++row)
    std::memcpy(whole + row * pieces.stride + pieces.begin, part.data + row * pieces.bytes,
                pieces.bytes);
}

}  // namespace kbench
