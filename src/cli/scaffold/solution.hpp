// Results of kbench new solution: a solution that builds, and the file to edit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/scaffold/gradient_header.hpp"
#include "cli/scaffold/template.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct NewSolution {
  std::vector<NewFile> files;  // the solution's, then its sources
  std::string edit;            // path of the one that computes
  bool is_right;               // it computes the reference's outputs
};

struct SolutionNames {
  std::string name;
  std::string author;
};

// Language of a starter; a new one is a row in solution.cpp.
struct StarterLanguage {
  std::string_view name;  // word of --language: "torch" is C++ with PyTorch's binding
  NewSolution (*make)(const Definition& definition, const SolutionNames& names);
};

// Languages, of which the first is the default.
std::span<const StarterLanguage> starter_languages();

// A solution in C++ with gradients: fwd_with_residuals and vjp beside run, and the sidecar that
// declares what they keep.
NewSolution gradient_solution(const Definition& definition, const SolutionNames& names,
                              const NewGradient& gradient);

}  // namespace kbench
