// Mistakes that any kernel can make with what it has calculated rightly.
#pragma once

#include "calibration/mutants/program.hpp"

namespace kbench::mutants {

// Elements of the output that is meant, row by row; float4 and bool too.
struct Grid {
  DType dtype;
  std::size_t rows, columns;
};

inline Floats decoded(const Grid& grid, const Bytes& bytes) {
  Floats values(grid.rows * grid.columns);
  decode(grid.dtype, bytes.data(), 0, std::span(values));
  return values;
}

using Change = std::function<void(const Grid&, Floats&)>;

inline void copy_row(const Grid& grid, Floats& v, std::size_t from, std::size_t to) {
  for (std::size_t c = 0; c < grid.columns; ++c)
    v[to * grid.columns + c] = v[from * grid.columns + c];
}

inline std::size_t largest(const Floats& v) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    if (std::isfinite(v[i]) && !(std::fabs(v[i]) <= std::fabs(v[best]))) best = i;
  }
  return best;
}

// Returns an element about the middle that is unlike its neighbour to the right.
inline std::size_t unlike_neighbour(const Floats& v) {
  for (std::size_t k = 0; k + 1 < v.size(); ++k) {
    const std::size_t i = (v.size() / 2 + k) % (v.size() - 1);
    const float much = 0.2F * std::max(std::fabs(v[i]), std::fabs(v[i + 1]));
    if (std::fabs(v[i] - v[i + 1]) > much) return i;
  }
  return 0;
}

inline std::vector<std::pair<std::string, Change>> generic_changes(const Grid& grid) {
  std::vector<std::pair<std::string, Change>> out{
      {"an element has its neighbour's value",
       [](const Grid&, Floats& v) {
         const std::size_t i = unlike_neighbour(v);
         v[i] = v[i + 1];
       }},
      {"the largest element is zero",
       [](const Grid&, Floats& v) {
         float& last = v[largest(v)];
         last = last == 0 ? 1.0F : 0.0F;
       }},
  };
  if (grid.rows > 1 && grid.columns > 1) {
    out.emplace_back("the last row is the one before",
                     [](const Grid& g, Floats& v) { copy_row(g, v, g.rows - 2, g.rows - 1); });
    out.emplace_back("two rows are swapped", [](const Grid& g, Floats& v) {
      for (std::size_t c = 0; c < g.columns; ++c) std::swap(v[c], v[g.columns + c]);
    });
  }
  if (grid.columns >= 32) {
    out.emplace_back("the last 16 columns are those before", [](const Grid& g, Floats& v) {
      for (std::size_t i = 0; i < v.size(); ++i)
        if (i % g.columns >= g.columns - 16) v[i] = v[i - 16];
    });
  }
  if (info(grid.dtype).kind == DTypeKind::floating && grid.dtype != DType::float4_e2m1) {
    out.emplace_back("an element is no number",
                     [](const Grid&, Floats& v) { v[v.size() / 2] = NAN; });
    out.emplace_back("the largest element has the other sign", [](const Grid&, Floats& v) {
      const std::size_t i = largest(v);
      v[i] = -v[i];
    });
    out.emplace_back("the largest element is 30 % off",
                     [](const Grid&, Floats& v) { v[largest(v)] *= 0.7F; });
  }
  return out;
}

// Adds them to a task, as changes of its first program's outputs; `output` is the one meant.
inline void add_generic(Task& task, const Grid& grid, std::size_t output = 0) {
  const auto right = task.programs.front().run;
  for (const auto& [name, change] : generic_changes(grid)) {
    task.programs.push_back({name, false, [=, change = change](const Given& given) {
                               Outputs out = right(given);
                               Floats values = decoded(grid, out[output]);
                               change(grid, values);
                               out[output] = stored(grid.dtype, values);
                               return out;
                             }});
  }
}

}  // namespace kbench::mutants
