// Writer of one Solution in the files of kbench kernels codegen --as solutions.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/codegen/codegen.hpp"

namespace kbench {

// Sources compiled for a Solution, and the table that says when it is called.
class SolutionWriter {
 public:
  // `served` outlives it; `number` tells it from others.
  SolutionWriter(const ServedSolution& served, std::size_t number);

  // Says why it has no function that can be called; "" where it has.
  std::string flaw() const;
  // Declares the functions, one for each build.
  std::string declarations() const;
  std::vector<GeneratedFile> files() const;
  std::string cmake() const;
  // Returns the row of kbench::choice::Solution.
  std::string table() const;

 private:
  // File that compiles one of its sources; those of a build share a namespace.
  struct Unit {
    std::string file;
    std::string source;
  };

  void add(Configuration configuration);
  Configuration of_kind(const Configuration& configuration, ParameterKind kind) const;
  std::size_t build_of(const Configuration& configuration) const;
  std::string folder() const;
  std::vector<Unit> units(std::size_t build) const;
  std::string function(std::size_t build) const;
  std::string unit_text(std::size_t build, const Unit& unit) const;
  std::set<std::string> headers() const;
  std::string name_code(std::string_view name) const;
  std::string code(const std::vector<std::string>& conditions) const;
  std::string entry(const Configuration& configuration) const;
  std::size_t index_of(const Configuration& configuration) const;
  std::string row(const std::vector<std::string>& conditions, const Configuration& values) const;
  std::string stated_rows(const std::vector<StatedConfiguration>& stated) const;
  std::string rows(const std::vector<ConfigurationRow>& all) const;
  std::string fallback() const;

  const ServedSolution& served_;
  std::size_t number_;
  bool has_all_ = false;  // all configurations of the space are there
  std::vector<Configuration> configurations_;
  std::vector<std::string> texts_;     // texts of these
  std::vector<Configuration> builds_;  // macros of each build
};

}  // namespace kbench
