// Solution: source code that claims to compute a Definition, and how to build and call it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/field.hpp"
#include "schema/raw_json.hpp"

namespace kbench {

enum class Language { python, triton, cpp, cuda, tilelang };
// Whether its programs are for a GPU.
inline bool is_for_gpu(Language language) {
  return language == Language::cuda || language == Language::triton;
}
enum class Binding { tvm_ffi, torch };

struct SourceFile {
  std::string path;     // relative to the solution's folder
  std::string content;  // the text; absent in the file: read from the file `path` beside the JSON
  FieldSet present{};
};

// A number, or a Python expression over the Definition's axes.
using LaunchSize = std::variant<std::int64_t, std::string>;

// How a kernel of CUDA is launched that has no code for the host.
struct Launch {
  std::vector<LaunchSize> grid;   // blocks, x first
  std::vector<LaunchSize> block;  // threads, x first
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
  std::optional<RawJson> kbench;  // what a sidecar says, where it is said here
  std::optional<ChosenConfiguration> configuration;
  FieldSet present{};
};

// The name of all that kbench itself makes of references, by torch.compile.
constexpr std::string_view compiled_reference_name = "torch-compile";

struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  BuildSpec spec;
  std::vector<SourceFile> sources;
  std::optional<std::string> description;
  // What evaluate/timed_reference.hpp made. No file can say so: it may start compilers.
  bool is_compiled_reference = false;
  FieldSet present{};
};

// kbench's own: no other program has keys for it.
constexpr bool is_own(const Launch*) { return true; }

// SHA-1 in hexadecimal as FlashInfer-Bench computes it: over definition, language, entry point,
// binding, dependencies and every source's path and content, without separators. Name, author,
// hardware and calling style do not count.
std::string solution_hash(const Solution& solution);

// The two halves of entry_point.
std::string entry_source(const Solution& solution);
std::string entry_symbol(const Solution& solution);

// Why entry_point names no function that can be called, "" when it does. FlashInfer-Bench reads
// such a solution all the same, and so does kbench; it can only not be run.
std::string entry_problem(const Solution& solution);

}  // namespace kbench
