// Operators that a program needs, and tensors of their calls: selected_operators.yaml. Source:
// ExecuTorch, codegen/tools/gen_oplist.py, and torchgen/selective_build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace kbench {

struct SelectedOperator {
  bool is_root_operator = true;
  bool is_used_for_training = true;
  bool include_all_overloads = false;
  std::vector<std::string> debug_info;  // models or options that asked for it

  bool operator==(const SelectedOperator&) const = default;
};

struct OperatorSelection {
  bool include_all_operators = false;
  bool include_all_non_op_selectives = false;
  std::map<std::string, SelectedOperator> operators;  // operators by full name
  // Keys that are asked for, by operator; "default" for one whose tensors are not known.
  std::map<std::string, std::vector<std::string>> kernels;
  std::vector<std::string> debug_info;

  bool operator==(const OperatorSelection&) const = default;
};

// Adds an operator, and the tensors of a call; `key` is "default", a key, or "v1/6;" for a dtype.
void select(OperatorSelection& selection, const std::string& name, const std::string& key,
            const std::string& debug_info);
// Returns the needs of both.
OperatorSelection unite(const OperatorSelection& a, const OperatorSelection& b);

std::optional<OperatorSelection> read_selection(const Source& source, Diagnostics& diagnostics);
// Writes a selection; the same text for the same selection.
std::string write_selection(const OperatorSelection& selection);

// Returns the key of "Float", "v1/6;", and of "v1/…" itself; "" for an unknown dtype.
std::string selection_key(std::string_view word);

}  // namespace kbench
