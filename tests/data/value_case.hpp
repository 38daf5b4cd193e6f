// A definition built by hand and a workload of random inputs, for tests of what their values are.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "problem/bind.hpp"
#include "problem/data/draw.hpp"
#include "problem/data/value_plan.hpp"

namespace kbench {

struct ValueCase {
  Definition definition;
  Workload workload;
  Diagnostics diagnostics;

  explicit ValueCase(const std::string& reference = "def run():\n    pass\n",
                     const std::string& op_type = "gqa_paged") {
    definition.name = "d";
    definition.op_type = op_type;
    definition.reference = reference;
    workload.uuid = "w";
  }
  ValueCase& axis(const std::string& name, std::int64_t length) {
    definition.axes[name] = AxisVar{};
    workload.axes[name] = length;
    return *this;
  }
  ValueCase& constant(const std::string& name, std::int64_t length) {
    AxisConst axis;
    axis.value = length;
    definition.axes[name] = axis;
    return *this;
  }
  ValueCase& input(const std::string& name, DType dtype, std::vector<std::string> shape,
                   RandomInput random = {}) {
    definition.inputs[name].dtype = dtype;
    definition.inputs[name].shape = std::move(shape);
    workload.inputs[name] = random;
    return *this;
  }
  ValueCase& about(const std::string& name, const std::string& description) {
    definition.inputs[name].description = description;
    return *this;
  }
  ValueCase& constraint(const std::string& text) {
    definition.constraints.push_back(text);
    return *this;
  }

  Problem problem() {
    auto bound = bind(definition, workload, Place(), diagnostics);
    if (!bound) ADD_FAILURE() << diagnostics.items().front().message;
    return bound ? *bound : Problem{};
  }
  ValuePlan plan() { return plan_values(definition, problem(), Place(), diagnostics); }
  std::optional<ValueRule> rule(const std::string& name) {
    const ValuePlan all = plan();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (definition.inputs.items[i].first == name) return all[i];
    }
    return std::nullopt;
  }
  // The elements of an input in a trial.
  std::vector<double> values(const std::string& name, std::uint32_t trial = 0,
                             Skew skew = Skew::none) {
    const Problem bound = problem();
    const auto all = draw_values(bound, plan_values(definition, bound, Place(), diagnostics),
                                 {7, trial, {}, skew});
    for (const Diagnostic& item : diagnostics.items()) ADD_FAILURE() << item.message;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (definition.inputs.items[i].first == name) return all[i];
    }
    return {};
  }
};

inline RandomInput random_of(ValueKind kind) {
  RandomInput random;
  random.kind = kind;
  return random;
}

// Rows of integers of one kind, below `high` where that counts.
inline ValueCase of_kind(ValueKind kind, std::int64_t rows, std::int64_t row, std::int64_t high) {
  ValueCase c;
  RandomInput random;
  random.kind = kind;
  random.high = high;
  c.axis("n", rows).axis("k", row).input("x", DType::int32, {"n", "k"}, random);
  return c;
}

// Sequences in two packed tensors.
inline ValueCase ragged(std::int64_t queries, std::int64_t keys, std::int64_t bounds) {
  ValueCase c("def run():\n    pass\n", "gqa_ragged");
  c.axis("n", bounds).axis("total_q", queries).axis("total_kv", keys);
  c.input("qo_indptr", DType::int32, {"n"}).input("kv_indptr", DType::int32, {"n"});
  return c;
}

}  // namespace kbench
