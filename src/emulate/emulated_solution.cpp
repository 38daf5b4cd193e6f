#include "emulate/emulated_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "base/words.hpp"
#include "emulate/translate.hpp"

namespace kbench {
namespace {

using Strings = std::vector<std::string>;

// Flags that make the compiler call the runtime library before each access. Its driver would link
// gcc's own library for them: they go past it.
constexpr std::string_view own_flags[] = {
    "-include",
    closed_header,
    "-Wp,-fsanitize=thread",
    "-Wp,-fsanitize=alignment",
    "-Wp,-fsanitize=float-cast-overflow",
    "-Wp,-fsanitize=shift-exponent",
    "-Wp,-fsanitize=bounds",
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",
    "-fno-builtin-memcpy",  // moves that it becomes late go unseen
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-optimize-sibling-calls",  // places are return addresses of calls
    "-g1",
    "-ffp-contract=off",
    "-fno-strict-aliasing",             // kernels read one type through pointers to another
    "-ftrivial-auto-var-init=pattern",  // variables begin as nonsense
    "-U_FORTIFY_SOURCE"};
// Flags that torch.utils.cpp_extension gives nvcc.
constexpr std::string_view torch_flags[] = {
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__"};

constexpr std::string_view extensions[] = {".cu",  ".cuh", ".h",  ".hpp", ".hh", ".hxx",
                                           ".inl", ".cpp", ".cc", ".cxx", ".c",  ".inc"};

std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

// Takes flags that nvcc and the host's compiler have in common. "-std=c++17" has extensions with
// nvcc. A flag of the compiler's passes might leave out that of the checks.
void add_flag(std::string_view flag, Strings& out) {
  constexpr std::string_view standard = "-std=c++", passed_on = "-Xcompiler=";
  constexpr std::string_view common[] = {"-D", "-U", "-O", "-iquote", "-include"};
  const auto begins = [&](std::string_view with) { return flag.starts_with(with); };
  if (begins(passed_on)) {
    for (const std::string_view one : split(flag.substr(passed_on.size()), ','))
      if (!one.starts_with("-f") || one == "-fopenmp") out.emplace_back(one);
  } else if (begins(standard)) {
    out.push_back("-std=gnu++" + std::string(flag.substr(standard.size())));
  } else if (flag == "-use_fast_math" || flag == "--use_fast_math") {
    out.emplace_back("-DKBENCH_EMULATED_FAST_MATH");
  } else if (const std::string_view folders = begins("-I") ? "-I" : "-isystem"; begins(folders)) {
    // Folders come after the system's: no file in them replaces one that emulation's headers use.
    out.push_back("-idirafter" + std::string(flag.substr(folders.size())));
  } else if (!flag.starts_with('-') || std::any_of(std::begin(common), std::end(common), begins)) {
    out.emplace_back(flag);
  }
}

// Returns a .cpp that includes a .cu, nvcc's header first: a compiler of C++ takes no .cu.
SourceFile compiled_file(const SourceFile& source, const BuildSpec& spec) {
  const std::string name = std::filesystem::path(source.path).filename().string();
  std::string text = fmt::format(
      "#define KBENCH_EMULATED_ARCH 900\n#define KBENCH_EMULATED_CUDACC 1\n"
      "#include <cuda_runtime.h>\n#include \"{}\"\n",
      name);
  if (spec.launch) {
    const std::string kernel = spec.entry_point.substr(spec.entry_point.find("::") + 2);
    text +=
        fmt::format("#include \"kbench_emulated_kernel.h\"\nKBENCH_EMULATED_KERNEL({})\n", kernel);
  }
  return {source.path + ".cpp", std::move(text)};
}

// Recognises CUDA's libraries, and the linker's optimiser: it would put no calls before accesses.
bool is_no_link_flag(const std::string& flag) {
  return flag.starts_with("-flto") ||
         is_one_of(flag, {"-lcuda", "-lcudart", "-lcudart_static", "-lcudadevrt"});
}

}  // namespace

Strings emulation_flags(const BuildSpec& spec) {
  Strings flags = {spec.binding == Binding::torch ? "-std=gnu++20" : "-std=gnu++17"};
  flags.insert(flags.end(), std::begin(own_flags), std::end(own_flags));
  if (spec.binding == Binding::torch)
    flags.insert(flags.end(), std::begin(torch_flags), std::end(torch_flags));
  for (const std::string& flag : spec.compile_flags.value_or(Strings{})) add_flag(flag, flags);
  return flags;
}

Solution emulated_solution(const Solution& solution, Diagnostics& diagnostics) {
  Solution out = solution;
  BuildSpec& spec = out.spec;
  const TorchWords torch = spec.binding == Binding::torch ? TorchWords::pose : TorchWords::keep;
  std::vector<SourceFile> compiled;
  refuse_made_names(out.sources, spec.compile_flags.value_or(Strings{}), diagnostics);
  const Strings links = spec.link_flags.value_or(Strings{});
  if (std::find(links.begin(), links.end(), "-latomic") != links.end())
    diagnostics.error({"link_flags"},
                      "not emulated: -latomic, whose accesses to memory are not seen");
  for (SourceFile& source : out.sources) {
    const std::string extension = extension_of(source.path);
    if (!is_one_of(extension, extensions)) continue;
    source.content = translate_cuda({source.path, source.content}, torch, diagnostics);
    if (extension == ".cu") compiled.push_back(compiled_file(source, spec));
  }
  spec.compile_flags = emulation_flags(spec);
  compiled.push_back({closed_header, closed_text(torch, *spec.compile_flags)});
  std::erase_if(*spec.compile_flags, [](const auto& flag) { return flag.starts_with("-D"); });
  out.sources.insert(out.sources.end(), compiled.begin(), compiled.end());
  spec.language = Language::cpp;
  if (spec.link_flags) std::erase_if(*spec.link_flags, is_no_link_flag);
  return out;
}

}  // namespace kbench
