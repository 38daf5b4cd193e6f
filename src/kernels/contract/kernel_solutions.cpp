#include "kernels/contract/kernel_solutions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/codegen/codegen.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view source_extensions[] = {".cpp", ".cc", ".cxx", ".c", ".cu"};
constexpr std::string_view header_extensions[] = {".h", ".hpp", ".cuh", ".inc", ".inl"};

// Sources are those that its sidecar names, else all that lie beside the yaml.
bool is_source(const KernelLibrary& library, const std::string& name) {
  if (!is_one_of(fs::path(name).extension().string(), source_extensions)) return false;
  if (library.sources.empty()) return name.find('/') == std::string::npos;
  return std::any_of(library.sources.begin(), library.sources.end(),
                     [&](const std::string& pattern) { return is_source_name(pattern, name); });
}

bool is_cuda(const KernelCall& call) { return call.kernel->platform == "cuda"; }

std::string glue_name(bool cuda) { return cuda ? "kbench_calls.cu" : "kbench_calls.cpp"; }

std::string function_of(const std::string& symbol) { return symbol.substr(symbol.rfind("::") + 2); }

const std::string& called_symbol(const KernelCall& call) {
  return call.symbol.empty() ? call.kernel->symbol : call.symbol;
}

// Tells whether kernels of the library are functions of one name in several namespaces.
bool is_shared_name(const KernelLibrary& library, const std::string& symbol) {
  for (const OperatorEntry& entry : library.operators) {
    for (const Kernel& kernel : entry.kernels)
      if (kernel.symbol != symbol && function_of(kernel.symbol) == function_of(symbol)) return true;
  }
  return false;
}

// Returns "a.addx_out" for "a::addx_out".
std::string dotted(const std::string& name) { return replace_all(name, "::", "."); }

// Returns "addx_out", or "a.addx_out" where that alone tells it from others.
std::string short_name(const KernelCall& call) {
  const std::string& symbol = called_symbol(call);
  const bool needs_all = call.symbol.empty() && is_shared_name(*call.library, symbol);
  return needs_all ? dotted(call.kernel->name) : function_of(symbol);
}

std::string name_of(const KernelCall& call) {
  std::string name =
      fmt::format("{}.{}.{}", library_name(*call.library), short_name(call), call.definition->name);
  return call.variant.empty() ? name : name + "." + call.variant;
}

// Returns for each call a name that tells its Solution from all others: libraries in folders of one
// name, and a function that is several kernels of its operator, are numbered.
std::vector<std::string> names_of(const std::vector<KernelCall>& calls) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const KernelCall& call : calls) {
    const std::string name = name_of(call);
    const int number = ++seen[name];
    names.push_back(number == 1 ? name : fmt::format("{}.{}", name, number));
  }
  return names;
}

std::string symbol_of(const KernelCall& call, std::size_t number) {
  return fmt::format("{}_{}", function_of(called_symbol(call)), number);
}

Solution solution_of(const KernelCall& call, const std::vector<SourceFile>& sources,
                     std::size_t number) {
  Solution solution;
  solution.definition = call.definition->name;
  solution.author = library_name(*call.library);
  solution.description = fmt::format("{} of {}", called_symbol(call), call.library->path);
  solution.spec.language = is_cuda(call) ? Language::cuda : Language::cpp;
  solution.spec.target_hardware = {text(call.kernel->backend)};
  solution.spec.entry_point = glue_name(is_cuda(call)) + "::" + symbol_of(call, number);
  solution.sources = sources;
  return solution;
}

// Generates NativeFunctions.h and Functions.h of the library alone.
std::vector<SourceFile> dispatch_headers(const KernelLibrary& library) {
  OperatorSelection all;
  all.include_all_operators = true;
  Diagnostics said;  // warnings of kernels for other devices
  const std::vector<KernelLibrary> libraries = {library};
  std::vector<SourceFile> headers;
  for (GeneratedFile& file : generate({all_kernels(libraries), all}, {}, said).files) {
    if (is_one_of(file.name, {"NativeFunctions.h", "Functions.h"}))
      headers.push_back({std::move(file.name), std::move(file.text), {}});
  }
  return headers;
}

// Writer of the calls of one library on one platform: one build.
class LibraryWriter {
 public:
  LibraryWriter(const std::vector<KernelCall>& calls, const CallHeaders& headers,
                std::vector<std::optional<Stored<Solution>>>& out)
      : calls_(calls), headers_(headers), out_(out), names_(names_of(calls)) {}

  void write(const std::vector<std::size_t>& mine) {
    std::vector<DefinitionCall> all;
    for (const std::size_t i : mine) {
      const KernelCall& call = calls_[i];
      all.push_back({call.definition,
                     &call.binding,
                     called_symbol(call),
                     {{symbol_of(call, i), call.call_class}},
                     call.symbol.empty() ? call.kernel->conditions : std::vector<std::string>{},
                     call.key});
    }
    const KernelCall& first = calls_[mine.front()];
    std::vector<SourceFile> sources = sources_of(*first.library);
    std::vector<std::string> included = {headers_.header};
    if (headers_.with_dispatch) {
      for (SourceFile& file : dispatch_headers(*first.library)) sources.push_back(std::move(file));
      included.emplace_back("Functions.h");
    }
    sources.push_back({glue_name(is_cuda(first)), definition_calls_text(all, included), {}});
    for (const std::size_t i : mine) {
      out_[i] = Stored<Solution>{solution_of(calls_[i], sources, i), first.library->path, 0};
      out_[i]->record.name = names_[i];
    }
  }

 private:
  const std::vector<KernelCall>& calls_;
  const CallHeaders& headers_;
  std::vector<std::optional<Stored<Solution>>>& out_;
  std::vector<std::string> names_;  // names of the calls
};

}  // namespace

std::string library_name(const KernelLibrary& library) {
  const std::string folder = fs::absolute(library.path).parent_path().filename().string();
  return folder.empty() ? "kernels" : folder;
}

std::vector<SourceFile> sources_of(const KernelLibrary& library) {
  const fs::path folder = fs::path(library.path).parent_path();
  std::vector<SourceFile> sources;
  for (const std::string& name : files_below(folder.empty() ? fs::path(".") : folder, "")) {
    const bool is_header = is_one_of(fs::path(name).extension().string(), header_extensions);
    if (is_header || is_source(library, name))
      sources.push_back({name, read_file(folder / name), {}});
  }
  return sources;
}

std::vector<std::optional<Stored<Solution>>> kernel_solutions(const std::vector<KernelCall>& calls,
                                                              const CallHeaders& headers,
                                                              Diagnostics& diagnostics) {
  std::vector<std::optional<Stored<Solution>>> solutions(calls.size());
  std::map<std::pair<const KernelLibrary*, bool>, std::vector<std::size_t>> builds;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string problem = call_problem(calls[i].binding);
    if (problem.empty()) {
      builds[{calls[i].library, is_cuda(calls[i])}].push_back(i);
    } else {
      diagnostics.error(calls[i].kernel->where,
                        fmt::format("{} cannot be called for {}: {}", calls[i].kernel->name,
                                    calls[i].definition->name, problem));
    }
  }
  LibraryWriter writer(calls, headers, solutions);
  for (const auto& [build, mine] : builds) writer.write(mine);
  return solutions;
}

}  // namespace kbench
