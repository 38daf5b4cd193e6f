#include "schema/solution_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <regex>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "schema/names.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using Strings = std::vector<std::string>;

// Flags without a path. A macro follows -D, whatever it says in one line.
constexpr const char* compile_pattern =
    "-(O([0-3sgz]|fast)?|g[a-z0-9-]*|w|W(?![lpa],)[A-Za-z0-9=+-]*|pedantic(-errors)?|ansi|"
    "std=[a-z0-9+:]+|f[a-z0-9+-]+(=[A-Za-z0-9_,.+-]+)?|m[A-Za-z0-9.+-]+(=[A-Za-z0-9_,.+-]+)?|"
    "pthread|pipe|D[A-Za-z_][^\\x00-\\x1f]*|U[A-Za-z_][A-Za-z0-9_]*)";
constexpr const char* link_pattern =
    "-(l:?[A-Za-z0-9_.+-]+|O[0-3s]?|g|s|f(openmp|lto)[a-z0-9=-]*|pthread|static-lib[a-z]+|"
    "nostdlib|nodefaultlibs|fuse-ld=[a-z]+|march=[a-z0-9-]+|"
    "Wl(,(--(no-)?as-needed|--gc-sections|--(no-)?whole-archive|--(start|end)-group|--strip-all|"
    "--no-undefined|-O[0-9]|-Bsymbolic(-functions)?|-z|now|relro|nodelete|--hash-style=[a-z]+|"
    "--build-id(=[a-z0-9]+)?|-s|--exclude-libs|ALL))+)";

// Flags of nvcc's, by long name or short one; architectures are kbench's to choose.
constexpr const char* cuda_pattern =
    "-(O[0-3]|g|G|w|std=c\\+\\+[0-9]+|pthread|D[A-Za-z_][^\\x00-\\x1f]*|U[A-Za-z_][A-Za-z0-9_]*|"
    "-?(lineinfo|use_fast_math|generate-line-info|extra-device-vectorization|restrict)|"
    "-?(expt-)?(relaxed-constexpr|extended-lambda)|-?(ftz|prec-div|prec-sqrt|fmad|rdc)=(true|false)"
    "|"
    "-?maxrregcount=[0-9]+|-?default-stream=(legacy|null|per-thread)|"
    "-?diag-suppress=[0-9,]+)";
// Flags of NVRTC's, for a solution that has no code for the host.
constexpr const char* nvrtc_pattern =
    "-(G|w|std=c\\+\\+[0-9]+|D[A-Za-z_][^\\x00-\\x1f]*|U[A-Za-z_][A-Za-z0-9_]*|"
    "-?(lineinfo|use_fast_math|generate-line-info|extra-device-vectorization|restrict)|"
    "-?(ftz|prec-div|prec-sqrt|fmad)=(true|false)|-?maxrregcount=[0-9]+|-?diag-suppress=[0-9,]+)";
constexpr const char* ptxas_pattern =
    "-(O[0-3]|v|-?warn-(spills|lmem-usage|double-usage)|-?(def-load-cache|dlcm)=[a-z]+|"
    "-?allow-expensive-optimizations=(true|false)|-?opt-level=[0-3])";

// Flags that load code into the compiler, or write files or read others than sources.
constexpr std::array<std::string_view, 12> refused_beginnings = {
    "-fplugin",        "-fdump", "-fopt-info",  "-fprofile",     "-fauto-profile", "-fmodule",
    "-fcompare-debug", "-fsave", "-fcallgraph", "-fstack-usage", "-fworking",      "-gsplit-dwarf"};

// Flags with a path, in one word or two.
constexpr std::array<std::string_view, 4> with_path = {"-include", "-isystem", "-iquote", "-I"};

bool is_inside(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
  return !text.empty() && text.front() != '=' && !has_controls(text) && path.is_relative() &&
         *path.begin() != "..";
}

// Compiles a pattern once, which takes 0.7 ms, a hundred times as long as matching a flag.
const std::regex& compiled(const char* pattern) {
  static std::mutex mutex;
  static std::map<std::string_view, std::regex> all;
  const std::lock_guard lock(mutex);
  return all.try_emplace(pattern, pattern).first->second;
}

bool matches(const std::string& flag, const char* pattern) {
  const auto begins = [&flag](std::string_view with) { return flag.starts_with(with); };
  if (std::any_of(refused_beginnings.begin(), refused_beginnings.end(), begins)) return false;
  return flag.size() < 1000 && std::regex_match(flag, compiled(pattern));
}

Finding refused(const char* key, std::size_t index, const std::string& flag, std::string hint) {
  return {fmt::format("/{}/{}", key, index), fmt::format("the flag \"{}\" is not allowed", flag),
          std::move(hint), 0};
}

// Returns the flag with a path that a word begins with, or null. The path may be in the next word.
const std::string_view* path_flag(const std::string& flag) {
  const auto found = std::find_if(with_path.begin(), with_path.end(),
                                  [&](std::string_view one) { return flag.starts_with(one); });
  return found == with_path.end() ? nullptr : &*found;
}

// Checks each part that "-Xcompiler=-O3,-Wall" and "-Xptxas=-v" pass on.
bool all_match(std::string_view passed_on, const char* pattern) {
  const auto flags = split(passed_on, ',');
  return std::all_of(flags.begin(), flags.end(), [pattern](std::string_view flag) {
    return matches(std::string(flag), pattern);
  });
}

bool is_allowed(const std::string& flag, const BuildSpec& spec) {
  if (spec.language == Language::cpp) return matches(flag, compile_pattern);
  if (spec.launch && !flag.starts_with("-Xptxas=")) return matches(flag, nvrtc_pattern);
  using Passed = std::pair<std::string_view, const char*>;
  for (const auto& [word, pattern] :
       {Passed{"-Xcompiler=", compile_pattern}, Passed{"-Xptxas=", ptxas_pattern}})
    if (flag.starts_with(word)) return all_match(flag.substr(word.size()), pattern);
  return matches(flag, cuda_pattern);
}

std::string_view allowed_text(const BuildSpec& spec) {
  if (spec.launch)
    return "docs/cuda.md says which are: -D, -U, -std=c++17, -use_fast_math, -maxrregcount=N, "
           "-Xptxas=…, …";
  if (spec.language == Language::cuda)
    return "docs/cuda.md says which are: -O, -D, -U, -std=c++17, -use_fast_math, -maxrregcount=N, "
           "-Xcompiler=…, -Xptxas=…, …";
  return "docs/solutions.md says which are: -O, -f, -m, -W, -D, -I of a folder of the solution, …";
}

void check_compile_flags(const BuildSpec& spec, Findings& out) {
  const Strings& flags = *spec.compile_flags;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view* const named = path_flag(flags[i]);
    if (named == nullptr) {
      if (!is_allowed(flags[i], spec))
        out.push_back(refused("compile_flags", i, flags[i], std::string(allowed_text(spec))));
      continue;
    }
    const bool is_two_words = flags[i] == *named;
    const bool has_path = !is_two_words || i + 1 < flags.size();
    const std::string path = !is_two_words ? flags[i].substr(named->size())
                             : has_path    ? flags[i + 1]
                                           : "";
    if (!is_inside(path)) {
      out.push_back(refused("compile_flags", i + (is_two_words && has_path ? 1 : 0),
                            is_two_words ? fmt::format("{} {}", flags[i], path) : flags[i],
                            "paths are relative to the solution's sources, stay below them, and "
                            "have no control characters"));
    }
    if (is_two_words) ++i;
  }
}

void check_link_flags(const Strings& flags, Findings& out) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!matches(flags[i], link_pattern))
      out.push_back(refused("link_flags", i, flags[i],
                            "docs/solutions.md says which are: -l of a library of the system, "
                            "-fopenmp, -pthread, -Wl,--as-needed, …"));
  }
}

}  // namespace

Findings check_flags(const BuildSpec& spec) {
  Findings out;
  if (spec.language != Language::cpp && spec.language != Language::cuda) return out;
  if (spec.compile_flags) check_compile_flags(spec, out);
  if (spec.link_flags) check_link_flags(*spec.link_flags, out);
  return out;
}

namespace {

void check_size(const LaunchSize& size, const std::string& pointer, const LaunchRange& range,
                Findings& out) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) {
    const std::string problem = range_problem(*number, range);
    if (!problem.empty()) out.push_back({pointer, problem, "", 0});
    return;
  }
  const auto parsed = python::parse_expression(std::get<std::string>(size));
  const auto* error = std::get_if<python::SyntaxError>(&parsed);
  if (error == nullptr) return;
  out.push_back({pointer, "expected a Python expression: " + error->message,
                 "as in \"(M + 127) // 128\"", error->offset});
}

void check_sizes(const std::vector<LaunchSize>& sizes, const std::string& pointer,
                 const std::array<LaunchRange, 3>& ranges, Findings& out) {
  if (sizes.size() > ranges.size())
    out.push_back({pointer + "/3", "a launch has x, y and z, and no more", "", 0});
  for (std::size_t i = 0; i < sizes.size() && i < ranges.size(); ++i)
    check_size(sizes[i], fmt::format("{}/{}", pointer, i), ranges[i], out);
}

// Reports settings that a kernel by itself has no use for.
void check_beside(const BuildSpec& spec, Findings& out) {
  if (spec.language != Language::cuda)
    out.push_back({"/launch",
                   fmt::format("\"launch\" is of language cuda alone, and this is {}",
                               name_of(spec.language)),
                   "", 0});
  if (spec.binding)
    out.push_back({"/binding",
                   "a solution with \"launch\" has no binding: kbench launches its kernel",
                   "leave \"binding\" out", 0});
  if (!spec.destination_passing_style)
    out.push_back({"/destination_passing_style",
                   "a kernel returns nothing: a solution with \"launch\" writes to its outputs", "",
                   0});
  if (spec.link_flags && !spec.link_flags->empty())
    out.push_back({"/link_flags", "a solution with \"launch\" is not linked", "", 0});
}

}  // namespace

std::string range_problem(std::int64_t value, const LaunchRange& range) {
  if (value >= range.least && value <= range.most) return "";
  return fmt::format("expected {} to {}, found {}", range.least, range.most, value);
}

Findings check_launch(const BuildSpec& spec) {
  Findings out;
  if (!spec.launch) return out;
  check_beside(spec, out);
  check_sizes(spec.launch->grid, "/launch/grid", grid_range, out);
  check_sizes(spec.launch->block, "/launch/block", block_range, out);
  if (spec.launch->shared_bytes)
    check_size(*spec.launch->shared_bytes, "/launch/shared_bytes", shared_range, out);
  return out;
}

}  // namespace kbench
