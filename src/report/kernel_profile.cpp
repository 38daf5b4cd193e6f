#include "report/kernel_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "base/text.hpp"

namespace kbench {
namespace {

using Unit = ProfileFigure::Unit;
using CsvRow = std::vector<std::string>;

constexpr std::array<ProfileFigure, 10> ncu_figures = {{
    {"time", "time", "gpu__time_duration.sum", Unit::time},
    {"sm", "SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent},
    {"memory", "memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
     Unit::percent},
    {"dram", "DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent},
    {"l2", "L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent},
    {"occupancy", "occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", Unit::percent},
    {"possible_occupancy", "possible", "sm__maximum_warps_per_active_cycle_pct", Unit::percent},
    {"registers", "registers", "launch__registers_per_thread", Unit::number},
    {"shared", "shared", "launch__shared_mem_per_block", Unit::bytes},
    {"waves", "waves", "launch__waves_per_multiprocessor", Unit::number},
}};

// Factors from ncu's units to those kept here: nanoseconds, bytes.
struct NcuScale {
  std::string_view unit;
  double factor;
};
constexpr NcuScale ncu_scales[] = {
    {"nsecond", 1}, {"ns", 1},  {"usecond", 1e3}, {"us", 1e3},    {"msecond", 1e6},
    {"ms", 1e6},    {"s", 1e9}, {"second", 1e9},  {"Kbyte", 1e3}, {"Mbyte", 1e6}};

// "Kbyte/block" counts as what stands before the "/".
double ncu_factor(std::string_view unit) {
  unit = unit.substr(0, unit.find('/'));
  const auto* const found = std::find_if(std::begin(ncu_scales), std::end(ncu_scales),
                                         [&](const NcuScale& one) { return one.unit == unit; });
  return found == std::end(ncu_scales) ? 1 : found->factor;
}

// RFC 4180, one line: fields in quotes, of which two within one are one.
CsvRow csv_fields(std::string_view line) {
  CsvRow fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_quoted && line.substr(i + 1).starts_with('"'))
      fields.back() += line[i++];
    else if (line[i] == '"')
      is_quoted = !is_quoted;
    else if (line[i] == ',' && !is_quoted)
      fields.emplace_back();
    else if (line[i] != '\r')
      fields.back() += line[i];
  }
  return fields;
}

// "1,234.5" is a number to ncu.
std::optional<double> ncu_number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

GridCell figure_cell(const std::optional<double>& value, Unit unit) {
  if (!value) return {};
  switch (unit) {
    case Unit::time:
      return {*value, human_time(*value)};
    case Unit::percent:
      return {*value, fmt::format("{:.1f} %", *value)};
    case Unit::bytes:
      return {*value, human_bytes(*value)};
    case Unit::number:
      return {*value, fmt::format("{:g}", *value)};
  }
  return {};
}

// A table: its header, the row of units below it, and what a kernel's row has in which column.
class CsvColumns {
 public:
  explicit CsvColumns(const CsvRow& header) {
    for (std::size_t i = 0; i < header.size(); ++i) places_[header[i]] = i;
  }

  std::string in(const CsvRow& row, std::string_view column) const {
    const auto found = places_.find(column);
    return found == places_.end() || found->second >= row.size() ? "" : row[found->second];
  }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace

std::span<const ProfileFigure> profile_figures() { return ncu_figures; }

std::vector<ProfiledKernel> read_profile(std::string_view csv) {
  std::vector<ProfiledKernel> kernels;
  std::optional<CsvColumns> columns;
  CsvRow units;
  for (const std::string_view line : split(csv, '\n')) {
    if (!line.starts_with('"')) continue;
    const CsvRow row = csv_fields(line);
    if (row.front() == "ID") {
      columns.emplace(row);
      units.clear();
    } else if (columns && row.front().empty()) {
      units = row;
    } else if (columns) {
      ProfiledKernel kernel{columns->in(row, "Kernel Name"), {}};
      for (const ProfileFigure& figure : ncu_figures) {
        auto value = ncu_number(columns->in(row, figure.metric));
        if (value) *value *= ncu_factor(columns->in(units, figure.metric));
        kernel.figures.push_back(value);
      }
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

Grid profile_grid(std::vector<ProfiledKernel> kernels, std::size_t most) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return a.figures.front().value_or(0) > b.figures.front().value_or(0);
  });
  Grid grid;
  grid.columns.push_back({"kernel"});
  for (const ProfileFigure& figure : ncu_figures)
    grid.columns.push_back({std::string(figure.key), std::string(figure.title)});
  for (std::size_t i = 0; i < std::min(most, kernels.size()); ++i) {
    std::vector<GridCell> row = {{printable(kernels[i].name), short_text(kernels[i].name)}};
    for (std::size_t k = 0; k < ncu_figures.size(); ++k)
      row.push_back(figure_cell(kernels[i].figures[k], ncu_figures[k].unit));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

namespace {

using Count = std::int64_t InstructionMix::*;

struct MixColumn {
  const char* key;
  Count count;
  Shown shown;
};

// Table columns of an instruction mix: what tells most of a kernel.
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

// "6 of 8": global loads and stores of 16 bytes or more, of all of them.
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

// Name for people, without namespaces that have no name, and without its parameters.
std::string short_name(std::string name) {
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (auto at = name.find(nameless); at != name.npos; at = name.find(nameless))
    name.erase(at, nameless.size());
  int depth = 0;  // nesting: a template's arguments may have brackets, too
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
    if (depth == 0) break;  // a name without parameters
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
