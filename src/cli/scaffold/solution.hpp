// What kbench new solution makes: a solution that builds, and where to go on.
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
  bool is_right;               // it computes what the reference does
};

struct SolutionNames {
  std::string name;
  std::string author;
};

// To add a language: its row in solution.cpp.
struct StarterLanguage {
  std::string_view name;  // of --language: "torch" is C++ with PyTorch's binding
  NewSolution (*make)(const Definition& definition, const SolutionNames& names);
};

// The first is the default.
std::span<const StarterLanguage> starter_languages();

// A solution in C++ with gradients: fwd_with_residuals and vjp beside run, and the sidecar that
// declares what they keep.
NewSolution gradient_solution(const Definition& definition, const SolutionNames& names,
                              const NewGradient& gradient);

}  // namespace kbench
