// Evidence of a tensor's values: what names, constraints and the reference's asserts say of them.
// The tables of what a name says are there for lack of anything better; to add a sign, add a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/data/reference_facts.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "syntax/python.hpp"

namespace kbench {

// Returns the kind that an input's name, dtype and op type say; nothing where any number will do.
std::optional<ValueKind> kind_of_name(std::string_view op_type, std::string_view name,
                                      const TensorSpec& spec);

// Tells whether `name` fits `pattern`, where '*' stands for anything.
bool fits_pattern(std::string_view name, std::string_view pattern);

// Targets of ids of a kind: names of axes, and of inputs whose first axis it is, best first.
struct Targets {
  std::span<const std::string_view> axes;
  std::span<const std::string_view> tensors;
};
Targets targets_of(ValueKind kind);

// Number that is said of a tensor, and the text that says it.
struct SaidValue {
  std::int64_t value = 0;
  std::string by;
};

class ValueEvidence {
 public:
  // Refers to `problem` and `facts`.
  ValueEvidence(const Definition& definition, const Problem& problem, const ReferenceFacts& facts);

  std::optional<SaidValue> end(const std::string& tensor) const;  // n == tensor[-1].item()
  std::optional<SaidValue> sum(const std::string& tensor) const;  // n == tensor.sum()
  std::optional<SaidValue> largest(
      const std::string& tensor) const;  // tensor.max() < n, (tensor < n).all()

 private:
  enum class Part { end, sum, largest };
  static bool is_about(const python::Expression& e, const std::string& tensor, Part part);
  std::optional<SaidValue> find(const std::string& tensor, Part part) const;

  struct Text {
    std::string text;
    python::ExpressionPtr tree;
  };
  std::vector<Text> texts_;
  ConstraintScope scope_;
};

}  // namespace kbench
