// Solution: source code that claims to compute a Definition, and the way to build and call it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

enum class Language { python, triton, cpp, cuda, tilelang };
// Tells whether its programs are for a GPU.
inline bool is_for_gpu(Language language) {
  return language == Language::cuda || language == Language::triton;
}
enum class Binding { tvm_ffi, torch };

struct SourceFile {
  std::string path;     // relative to the solution's folder
  std::string content;  // text; absent in the file: read from the file `path` beside the JSON
  FieldSet present{};
};

// Extent of a launch: a number, or a Python expression over the Definition's axes.
using LaunchSize = std::variant<std::int64_t, std::string>;

// Launch of a CUDA kernel that has no code for the host.
struct Launch {
  std::vector<LaunchSize> grid;   // numbers of blocks, x first
  std::vector<LaunchSize> block;  // numbers of threads, x first
  std::optional<LaunchSize> shared_bytes;
  std::optional<std::vector<std::string>> arguments;  // nothing: the inputs, then the outputs
  FieldSet present{};
};

struct BuildSpec {
  Language language = Language::cpp;
  std::vector<std::string> target_hardware;
  std::string entry_point;  // "<source path>::<function>"
  std::vector<std::string> dependencies;
  bool destination_passing_style = true;
  std::optional<Binding> binding;  // nothing: tvm-ffi for cpp and cuda
  std::optional<std::vector<std::string>> compile_flags;
  std::optional<std::vector<std::string>> link_flags;
  std::optional<Launch> launch;
  std::optional<RawJson> kbench;  // content of a sidecar, if it is given here
  std::optional<ChosenConfiguration> configuration;
  FieldSet present{};
};

// Name of all that kbench itself makes of references, by torch.compile.
constexpr std::string_view compiled_reference_name = "torch-compile";

struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  BuildSpec spec;
  std::vector<SourceFile> sources;
  std::optional<std::string> description;
  // Set by judge/timed_reference.hpp alone. No file can set this: it may start compilers.
  bool is_compiled_reference = false;
  FieldSet present{};
};

// A type of kbench's own: no other program has keys for it.
constexpr bool is_own(const Launch*) { return true; }

// Returns FlashInfer-Bench's SHA-1 in hexadecimal: over definition, language, entry point, binding,
// dependencies and every source's path and content, without separators. Name, author, hardware and
// calling style do not count.
std::string solution_hash(const Solution& solution);

// Returns one half each of entry_point.
std::string entry_source(const Solution& solution);
std::string entry_symbol(const Solution& solution);

// Returns why entry_point names no function that can be called, "" when it does. FlashInfer-Bench
// reads such a solution all the same, and so does kbench; it can only not be run.
std::string entry_problem(const Solution& solution);

constexpr auto fields(const SourceFile*) {
  return std::tuple{Field{"path", &SourceFile::path, Need::required, Rule::text,
                          "Path of the source, relative, without \"..\"."},
                    Field{"content", &SourceFile::content, Need::required, Rule::text,
                          "The source text; without it, the file `path` beside the JSON."}};
}

constexpr auto fields(const Launch*) {
  return std::tuple{
      Field{"grid", &Launch::grid, Need::required, Rule::items,
            "Blocks in x, y and z: 1 to 3 numbers or Python expressions over the axes, such as "
            "\"(M + 127) // 128\"."},
      Field{"block", &Launch::block, Need::required, Rule::items,
            "Threads of a block in x, y and z, likewise."},
      Field{"shared_bytes", &Launch::shared_bytes, Need::optional, Rule::any,
            "Dynamic shared memory of a block, likewise."},
      Field{"arguments", &Launch::arguments, Need::optional, Rule::non_empty,
            "Names of inputs, outputs and axes in the order of the kernel's parameters; without "
            "it the inputs, then the outputs."}};
}

constexpr auto fields(const BuildSpec*) {
  return std::tuple{
      Field{"language", &BuildSpec::language, Need::required, Rule::any,
            "Language of the sources."},
      Field{"target_hardware", &BuildSpec::target_hardware, Need::required, Rule::items,
            "Hardware the solution is meant for, free text such as \"cpu\" or \"NVIDIA H100\"."},
      Field{"entry_point", &BuildSpec::entry_point, Need::required, Rule::non_empty,
            "\"<source path>::<function name>\"."},
      Field{"dependencies", &BuildSpec::dependencies, Need::optional, Rule::non_empty,
            "Packages the solution needs; recorded, not installed."},
      Field{"destination_passing_style", &BuildSpec::destination_passing_style, Need::optional,
            Rule::any, "true: outputs are passed after the inputs; false: they are returned."},
      Field{"binding", &BuildSpec::binding, Need::optional, Rule::any,
            "How a compiled solution is called; null is tvm-ffi."},
      Field{"compile_flags", &BuildSpec::compile_flags, Need::extension, Rule::text,
            "Flags for the compiler, after kbench's own."},
      Field{"link_flags", &BuildSpec::link_flags, Need::extension, Rule::text,
            "Flags for the linker, after the objects."},
      Field{"launch", &BuildSpec::launch, Need::extension, Rule::any,
            "How the kernel is launched that the entry point names: of a CUDA source that has no "
            "code for the host."},
      Field{"kbench", &BuildSpec::kbench, Need::extension, Rule::any,
            "What kbench knows of it beside all this, such as its configurations: instead of a "
            "sidecar."},
      Field{"configuration", &BuildSpec::configuration, Need::extension, Rule::any,
            "Values of its parameters that were chosen, where kbench has chosen them."}};
}

constexpr auto fields(const Solution*) {
  return std::tuple{
      Field{"name", &Solution::name, Need::required, Rule::name, "Unique in the trace set."},
      Field{"definition", &Solution::definition, Need::required, Rule::name,
            "Name of the Definition it computes."},
      Field{"author", &Solution::author, Need::required, Rule::name, "Who wrote it."},
      Field{"spec", &Solution::spec, Need::required, Rule::any, "How to build and call it."},
      Field{"sources", &Solution::sources, Need::required, Rule::items, "The source files."},
      Field{"description", &Solution::description, Need::optional, Rule::any,
            "What is particular about it."}};
}

// Names of all that kbench itself makes of references: by torch.compile, and unchanged.
constexpr std::string_view names_of_references[] = {compiled_reference_name, "reference"};

constexpr bool is_of_reference(std::string_view solution) {
  return std::ranges::find(names_of_references, solution) != std::end(names_of_references);
}

}  // namespace kbench
