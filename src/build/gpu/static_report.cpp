#include "build/gpu/static_report.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "build/gpu/architecture.hpp"
#include "build/gpu/sass.hpp"

namespace kbench::gpu {
namespace {

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return symbol;
  std::string text = name.get();
  if (text.starts_with("void ")) text.erase(0, 5);  // every kernel that is a template has it
  return text;
}

// The text between the first pair of quotes at or after `at`.
std::string quoted(std::string_view line, std::size_t at = 0) {
  const auto begin = line.find('\'', at);
  const auto end = line.find('\'', begin == line.npos ? begin : begin + 1);
  return end == line.npos ? "" : std::string(line.substr(begin + 1, end - begin - 1));
}

// The number before `unit`: "27" of "Used 27 registers, used 1 barriers".
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const auto at = line.find(unit);
  if (at == line.npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + at, number);
  return number;
}

void read_use(std::string_view line, CompiledKernel& kernel) {
  kernel.registers = number_before(line, " registers");
  kernel.barriers = number_before(line, " barriers");
  kernel.shared_bytes = number_before(line, " bytes smem");
  kernel.constant_bytes = number_before(line, " bytes cmem[0]");
}

void read_stack(std::string_view line, CompiledKernel& kernel) {
  kernel.stack_bytes = number_before(line, " bytes stack frame");
  kernel.spill_store_bytes = number_before(line, " bytes spill stores");
  kernel.spill_load_bytes = number_before(line, " bytes spill loads");
}

// "kernel.cu(8): warning #177-D: text" of cudafe++, "kernel.cu:8:3: warning: text" of gcc.
std::optional<CompilerWarning> warning_in(std::string_view line) {
  const auto mark = line.find(": warning");
  if (mark == line.npos) return std::nullopt;
  const auto digits = line.find_first_of(":(");
  if (digits == line.npos || digits == 0) return std::nullopt;
  CompilerWarning warning;
  warning.file = line.substr(0, digits);
  const auto number =
      std::from_chars(line.data() + digits + 1, line.data() + line.size(), warning.line);
  if (number.ec != std::errc()) return std::nullopt;
  std::string_view text = line.substr(mark + 2);
  if (const auto colon = text.find(": "); colon != text.npos) text.remove_prefix(colon + 2);
  warning.text = trim(text);
  return warning;
}

}  // namespace

std::vector<CompiledKernel> kernels_in(std::string_view output) {
  std::vector<CompiledKernel> reports;
  bool is_kernel = false;  // the next lines are about a kernel
  for (const std::string_view line : split(output, '\n')) {
    if (!line.starts_with("ptxas info")) {
      if (is_kernel && line.find(" bytes stack frame") != line.npos)
        read_stack(line, reports.back());
      continue;
    }
    if (line.find("Compiling entry function") != line.npos) {
      const auto second = line.find("' for '");
      CompiledKernel& kernel = reports.emplace_back();
      kernel.symbol = quoted(line);
      kernel.kernel = demangled(kernel.symbol);
      if (second != line.npos) kernel.architecture = quoted(line, second + 6);
      is_kernel = true;
    } else if (is_kernel && line.find(": Used ") != line.npos) {
      read_use(line, reports.back());
      is_kernel = false;
    }
  }
  return reports;
}

std::vector<CompilerWarning> warnings_in(std::string_view output) {
  std::vector<CompilerWarning> warnings;
  for (const std::string_view line : split(output, '\n')) {
    auto warning = warning_in(line);
    if (!warning) continue;
    const bool is_known =
        std::any_of(warnings.begin(), warnings.end(), [&](const CompilerWarning& known) {
          return known.file == warning->file && known.line == warning->line &&
                 known.text == warning->text;
        });
    if (!is_known) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

namespace {

constexpr int block_sizes[] = {64, 128, 256, 512, 1024};

void add_occupancy(CompiledKernel& kernel) {
  const Architecture* const architecture = find_architecture(kernel.architecture);
  if (architecture == nullptr) return;
  const KernelNeeds needs{static_cast<int>(kernel.registers), kernel.shared_bytes};
  for (const int threads : block_sizes)
    kernel.occupancy[std::to_string(threads)] = occupancy(*architecture, needs, threads);
}

void add_code(std::vector<CompiledKernel>& kernels, const Code& code) {
  for (CompiledKernel& kernel : kernels) {
    if (kernel.symbol != code.symbol || kernel.architecture != code.architecture) continue;
    kernel.instructions = mix_of(code);
  }
}

}  // namespace

Compiled static_report(std::string_view compiler_output,
                       const std::vector<std::string>& disassemblies) {
  Compiled report;
  report.kernels = kernels_in(compiler_output);
  report.warnings = warnings_in(compiler_output);
  for (CompiledKernel& kernel : report.kernels) add_occupancy(kernel);
  for (const std::string& disassembly : disassemblies)
    for (const Code& code : read_sass(disassembly))
      if (code.is_kernel) add_code(report.kernels, code);
  return report;
}

}  // namespace kbench::gpu
