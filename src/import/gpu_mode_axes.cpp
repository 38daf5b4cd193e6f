#include "import/gpu_mode_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "import/length_relation.hpp"

namespace kbench {
namespace {

// A tensor of all cases: lengths[i] are those of its dimension i.
struct CaseShapes {
  std::string name;
  DType dtype = DType::float32;
  std::vector<CaseLengths> lengths;
};

class TaskShaper {
 public:
  TaskShaper(const std::vector<TaskCase>& cases, const std::vector<TaskArguments>& arguments)
      : cases_(cases), arguments_(arguments) {}

  std::optional<ShapedTask> shape(std::string& why) {
    const auto inputs = shapes_of_inputs();
    const auto buffers = shapes_of(&TaskCase::buffers);
    const auto outputs = shapes_of(&TaskCase::outputs);
    for (const CaseShapes& one : inputs) add_tensor(one, shaped_.definition.inputs, true);
    for (const CaseShapes& one : buffers) axes_of(one, false);
    for (const CaseShapes& one : outputs) add_output(one, buffers);
    if (why_.empty()) write_data(inputs, buffers);
    if (why_.empty()) add_lengths();
    if (why_.empty()) drop_unused_constants();
    why = why_;
    return why_.empty() ? std::optional(std::move(shaped_)) : std::nullopt;
  }

 private:
  void fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  // The tensors of the first case, with the lengths that they have in all that have them.
  template <class Tensor>
  void add_case(const std::string& name, DType dtype, const Tensor& shape,
                std::vector<CaseShapes>& all, bool is_first) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const CaseShapes& one) { return one.name == name; });
    if (is_first) {
      all.push_back({name, dtype, std::vector<CaseLengths>(shape.size())});
      found = all.end() - 1;
    }
    if (found == all.end() || found->dtype != dtype || found->lengths.size() != shape.size())
      return fail(fmt::format("{} is not of one kind in all its tests", name));
    for (std::size_t i = 0; i < shape.size(); ++i) found->lengths[i].push_back(shape[i]);
  }

  std::vector<CaseShapes> shapes_of(std::vector<TaskTensor> TaskCase::*tensors) {
    std::vector<CaseShapes> all;
    for (const TaskCase& one : cases_)
      for (const TaskTensor& tensor : one.*tensors)
        add_case(tensor.name, tensor.dtype, tensor.shape, all, &one == &cases_.front());
    return all;
  }

  std::vector<CaseShapes> shapes_of_inputs() {
    std::vector<CaseShapes> all;
    for (const TaskCase& one : cases_)
      for (const MadeInput& input : one.inputs)
        if (!input.scalar)
          add_case(input.input, input.dtype, input.shape, all, &one == &cases_.front());
    for (const MadeInput& input : cases_.front().inputs)
      if (input.scalar)
        shaped_.definition.inputs[input.input] = {std::nullopt, input.dtype, "A number of data."};
    return all;
  }

  CaseLengths argument(const std::string& name) const {
    CaseLengths values;
    for (const TaskArguments& one : arguments_)
      if (const std::int64_t* const value = one.integers.find(name)) values.push_back(*value);
    return values;
  }

  // What an axis with these lengths is called.
  std::string name_for(const CaseLengths& lengths, const std::string& tensor, std::size_t i) const {
    for (const auto& [name, value] : arguments_.front().integers)
      if (name != "seed" && argument(name) == lengths && is_free(name)) return name;
    std::string name = is_constant(lengths) ? fmt::format("d{}", lengths.front())
                                            : fmt::format("{}_{}", tensor, i);
    while (!is_free(name)) name += "_";
    return name;
  }

  bool is_free(const std::string& name) const {
    return std::none_of(axes_.begin(), axes_.end(),
                        [&](const NamedAxis& one) { return one.name == name; });
  }

  NamedAxis& axis_for(const CaseLengths& lengths, const std::string& tensor, std::size_t i) {
    for (NamedAxis& one : axes_)  // outputs are known in some cases alone, the first ones
      if (std::equal(lengths.begin(), lengths.end(), one.lengths.begin())) return one;
    if (lengths.size() < cases_.size() && !is_constant(lengths))
      fail(fmt::format("the length {} of {} is that of no input", i, tensor));
    CaseLengths all = lengths;
    all.resize(cases_.size(), lengths.front());
    axes_.push_back({name_for(all, tensor, i), all, ""});
    Axis axis = AxisVar{.description = "A length of the task."};
    if (is_constant(all))
      axis = AxisConst{.value = all.front(), .description = "A length of the task."};
    shaped_.definition.axes[axes_.back().name] = std::move(axis);
    return axes_.back();
  }

  std::vector<std::string> axes_of(const CaseShapes& one, bool is_input) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < one.lengths.size(); ++i) {
      NamedAxis& axis = axis_for(one.lengths[i], one.name, i);
      if (is_input && axis.in_python.empty())
        axis.in_python = fmt::format("{}.shape[{}]", one.name, i);
      names.push_back(axis.name);
    }
    return names;
  }

  void add_tensor(const CaseShapes& one, OrderedMap<TensorSpec>& to, bool is_input) {
    to[one.name] = {axes_of(one, is_input), one.dtype,
                    is_input ? "A tensor of data." : "What ref_kernel() returns."};
  }

  // A result that is like a buffer has its axes.
  void add_output(CaseShapes one, const std::vector<CaseShapes>& buffers) {
    for (const CaseShapes& buffer : buffers) {
      const bool is_alike =
          buffer.lengths.size() == one.lengths.size() &&
          std::equal(one.lengths.begin(), one.lengths.end(), buffer.lengths.begin(),
                     [](const CaseLengths& a, const CaseLengths& b) {
                       return std::equal(a.begin(), a.end(), b.begin());
                     });
      if (is_alike) {
        one.lengths = buffer.lengths;
        break;
      }
    }
    if (shaped_.definition.inputs.contains(one.name)) {
      in_place_.push_back(one.name);
      one.name += "_out";
    }
    add_tensor(one, shaped_.definition.outputs, false);
  }

  std::string length_in_python(const CaseLengths& lengths, const std::string& buffer) {
    if (is_constant(lengths)) return fmt::format("{}", lengths.front());
    const auto relation = relation_for(axes_, lengths);
    if (!relation) fail(fmt::format("the shape of {} follows from no input's", buffer));
    return relation ? relation->in_python : "";
  }

  void write_data(const std::vector<CaseShapes>& inputs, const std::vector<CaseShapes>& buffers) {
    shaped_.data = cases_.front().data;
    for (const CaseShapes& one : inputs) {
      const bool is_in_place =
          std::find(in_place_.begin(), in_place_.end(), one.name) != in_place_.end();
      put(one.name, is_in_place ? one.name + ".clone()" : one.name);
    }
    for (const CaseShapes& one : buffers) {
      std::vector<std::string> shape;
      for (const CaseLengths& lengths : one.lengths)
        shape.push_back(length_in_python(lengths, one.name));
      put(one.name, fmt::format("torch.empty([{}], dtype=torch.{})", join(shape, ", "),
                                info(one.dtype).name));
    }
    shaped_.data = replace_all(replace_all(shaped_.data, "{{", "{"), "}}", "}");
  }

  void put(const std::string& name, const std::string& text) {
    shaped_.data = replace_all(shaped_.data, "{" + name + "}", text);
  }

  // The lengths of each case, and constraints where one follows from others.
  void add_lengths() {
    shaped_.lengths.resize(cases_.size());
    for (const NamedAxis& axis : axes_) {
      if (is_constant(axis.lengths)) continue;
      for (std::size_t i = 0; i < cases_.size(); ++i)
        shaped_.lengths[i][axis.name] = axis.lengths[i];
      const auto relation =
          axis.in_python.empty() ? relation_for(axes_, axis.lengths) : std::nullopt;
      if (relation)
        shaped_.definition.constraints.push_back(
            fmt::format("{} == {}", axis.name, relation->axes));
    }
  }

  // Axes of buffers alone are none of the Definition's.
  void drop_unused_constants() {
    const Definition& definition = shaped_.definition;
    const auto has = [](const OrderedMap<TensorSpec>& tensors, const std::string& axis) {
      return std::any_of(tensors.begin(), tensors.end(), [&](const auto& one) {
        const auto& shape = one.second.shape;
        return shape && std::find(shape->begin(), shape->end(), axis) != shape->end();
      });
    };
    OrderedMap<Axis> kept;
    for (const auto& [name, axis] : definition.axes)
      if (!const_value(axis) || has(definition.inputs, name) || has(definition.outputs, name))
        kept[name] = axis;
    shaped_.definition.axes = std::move(kept);
  }

  const std::vector<TaskCase>& cases_;
  const std::vector<TaskArguments>& arguments_;
  std::vector<NamedAxis> axes_;
  std::vector<std::string> in_place_;  // inputs that are written to and returned
  ShapedTask shaped_;
  std::string why_;
};

}  // namespace

std::optional<ShapedTask> shape_task(const std::vector<TaskCase>& cases,
                                     const std::vector<TaskArguments>& arguments,
                                     std::string& why) {
  return TaskShaper(cases, arguments).shape(why);
}

}  // namespace kbench
