#include "report/compiled_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kbench {
namespace {

using Count = std::int64_t InstructionMix::*;

struct MixColumn {
  const char* key;
  Count count;
  Shown shown;
};

// What tells most of a kernel stands in the table.
constexpr MixColumn mix_columns[] = {
    {"instructions", &InstructionMix::all, Shown::where_any},
    {"tensor", &InstructionMix::tensor, Shown::where_any},
    {"float16", &InstructionMix::float16, Shown::never},
    {"float32", &InstructionMix::float32, Shown::never},
    {"float64", &InstructionMix::float64, Shown::never},
    {"special", &InstructionMix::special, Shown::never},
    {"global_loads", &InstructionMix::global_loads, Shown::never},
    {"wide_global_loads", &InstructionMix::wide_global_loads, Shown::never},
    {"global_stores", &InstructionMix::global_stores, Shown::never},
    {"wide_global_stores", &InstructionMix::wide_global_stores, Shown::never},
    {"async_copies", &InstructionMix::async_copies, Shown::where_any},
    {"shared_loads", &InstructionMix::shared_loads, Shown::never},
    {"shared_stores", &InstructionMix::shared_stores, Shown::never},
    {"local", &InstructionMix::local, Shown::where_any},
    {"atomics", &InstructionMix::atomics, Shown::where_any},
    {"shuffles", &InstructionMix::shuffles, Shown::where_any},
    {"barriers", &InstructionMix::barriers, Shown::where_any},
};

GridCell mix_cell(const CompiledKernel& kernel, const MixColumn& column) {
  if (!kernel.instructions) return {};
  return {(*kernel.instructions).*column.count};
}

// People see what some kernel has.
Shown shown_of(const MixColumn& column, const Compiled& compiled) {
  const bool is_any = std::any_of(
      compiled.kernels.begin(), compiled.kernels.end(), [&](const CompiledKernel& kernel) {
        return kernel.instructions && (*kernel.instructions).*column.count > 0;
      });
  return is_any ? column.shown : Shown::never;
}

// "6 of 8": of all loads those of 16 bytes or more.
GridCell wide_cell(const CompiledKernel& kernel) {
  if (!kernel.instructions) return {};
  const InstructionMix& mix = *kernel.instructions;
  return {fmt::format("{} of {}", mix.wide_global_loads + mix.wide_global_stores,
                      mix.global_loads + mix.global_stores)};
}

std::vector<GridColumn> kernel_columns(const Compiled& compiled) {
  std::vector<GridColumn> columns = {{"solution", "", Shown::never},
                                     {"kernel"},
                                     {"symbol", "", Shown::never},
                                     {"architecture"},
                                     {"registers"},
                                     {"spill_bytes", "spilled"},
                                     {"stack_bytes", "stack", Shown::never},
                                     {"shared_bytes", "shared"},
                                     {"constant_bytes", "", Shown::never}};
  columns.push_back({"wide", "wide accesses", Shown::where_any});
  for (const MixColumn& one : mix_columns)
    columns.push_back({one.key, "", shown_of(one, compiled)});
  for (const auto& [threads, share] : compiled.kernels.front().occupancy)
    columns.push_back({"occupancy_" + threads, threads});
  return columns;
}

// For people: without namespaces that have no name, and without what it is called with.
std::string short_name(std::string name) {
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (auto at = name.find(nameless); at != name.npos; at = name.find(nameless))
    name.erase(at, nameless.size());
  int depth = 0;  // of brackets: a template's arguments may have some, too
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
    if (depth == 0) break;  // it ends with none
  }
  return name;
}

GridCell kernel_cell(const CompiledKernel& kernel) {
  return {kernel.kernel, short_name(kernel.kernel)};
}

std::vector<GridCell> kernel_row(const std::string& solution, const CompiledKernel& kernel) {
  std::vector<GridCell> row = {{solution},
                               kernel_cell(kernel),
                               {kernel.symbol},
                               {kernel.architecture},
                               {kernel.registers},
                               {kernel.spill_store_bytes + kernel.spill_load_bytes},
                               {kernel.stack_bytes},
                               {kernel.shared_bytes},
                               {kernel.constant_bytes},
                               wide_cell(kernel)};
  for (const MixColumn& one : mix_columns) row.push_back(mix_cell(kernel, one));
  for (const auto& [threads, share] : kernel.occupancy)
    row.push_back({share, fmt::format("{:.0f}%", 100 * share)});
  return row;
}

}  // namespace

std::vector<Grid> compiled_grids(const std::string& solution, const Compiled& compiled) {
  if (compiled.kernels.empty()) return {};
  Grid kernels;
  kernels.title = solution;
  kernels.columns = kernel_columns(compiled);
  for (const CompiledKernel& kernel : compiled.kernels)
    kernels.rows.push_back(kernel_row(solution, kernel));
  return {std::move(kernels)};
}

}  // namespace kbench
