// What constraints and the reference's asserts say of a tensor's values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/data/reference_facts.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"
#include "syntax/python.hpp"

namespace kbench {

// A number that is said of a tensor, and the text that says it.
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
