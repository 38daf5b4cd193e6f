#include "problem/data/row_kinds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>

#include "syntax/called.hpp"

namespace kbench {
namespace {

using Kinds = std::vector<RowKind>;

constexpr RowKind mixed_kinds[]{RowKind::needles, RowKind::plain, RowKind::down,    RowKind::pairs,
                                RowKind::up,      RowKind::zero,  RowKind::peaks,   RowKind::above,
                                RowKind::tiny,    RowKind::below, RowKind::valleys, RowKind::steps};
constexpr RowKind special_kinds[]{RowKind::masked_start, RowKind::plain,       RowKind::nan,
                                  RowKind::masked_end,   RowKind::plain,       RowKind::infinite,
                                  RowKind::masked,       RowKind::masked_some, RowKind::plain};
constexpr RowKind clustered_kinds[]{RowKind::cluster, RowKind::stride};
constexpr RowKind clustered_below[]{RowKind::cluster_below, RowKind::stride_below};

// Tells whether a reference takes rows that are far below 0 as a whole, as sums of e^x do. Much
// honest arithmetic of a mean and a variance loses too many digits there.
bool may_be_far_below(const std::string& reference) {
  const python::Calls calls(reference);
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](auto name) { return calls.any(name); });
  };
  return has({"softmax", "log_softmax", "logsumexp", "exp", "exp2"}) &&
         !has({"mean", "var", "std", "var_mean", "std_mean", "layer_norm", "group_norm",
               "batch_norm", "instance_norm"});
}

// A reference that chooses several of many takes the greatest, or the least.
Kinds clusters_of(const std::string& reference) {
  const python::Calls calls(reference);
  if (!calls.any("topk") && !calls.any("sort") && !calls.any("argsort")) return {};
  if (reference.find("largest=False") != std::string::npos)
    return {std::begin(clustered_below), std::end(clustered_below)};
  return {std::begin(clustered_kinds), std::end(clustered_kinds)};
}

}  // namespace

std::vector<RowKind> kinds_of_rows(InputSet set, const std::string& reference) {
  if (set == InputSet::special) return {std::begin(special_kinds), std::end(special_kinds)};
  if (set == InputSet::clustered) return clusters_of(reference);
  if (set != InputSet::mixed) return {};
  Kinds out{std::begin(mixed_kinds), std::end(mixed_kinds)};
  if (may_be_far_below(reference)) out.push_back(RowKind::far_below);
  return out;
}

std::vector<RowKind> kinds_in(std::size_t rows, const std::vector<RowKind>& kinds) {
  Kinds out;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(out),
               [rows](RowKind kind) { return rows > 1 || kind != RowKind::plain; });
  return out;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void add(double what, std::span<double> row) {
  for (double& x : row) x += what;
}

void scale(int shift, std::span<double> row) {
  for (double& x : row) x = std::ldexp(x, shift);
}

// The least of all stands first.
void make_pairs(double greatest, std::span<double> row) {
  row[0] = -greatest;
  for (std::size_t k = 1; k < row.size(); k += 2) row[k] = -row[k - 1];
}

void make_tiny(double tiny, std::span<double> row) {
  for (std::size_t k = 0; k < row.size(); ++k)
    row[k] = std::copysign(k % 4 < 2 ? 0.0 : tiny * static_cast<double>(k % 4), row[k]);
}

// Puts equal needles, so that each counts, at the edges, at a border of tiles within, and anywhere.
// One at the edges is the greatest, now this and now that.
void put_needles(double needle, double greatest, std::size_t turn,
                 std::span<const std::uint32_t> word, std::span<double> row) {
  const std::vector<std::size_t> places = edges(row.size());
  for (const std::size_t k : places) row[k] = needle;
  const std::size_t tiles = (row.size() - 1) / 64;
  if (tiles > 0) row[(1 + word[1] % tiles) * 64 - word[2] % 2] = needle;
  row[word[3] % row.size()] = needle;
  row[places[turn % places.size()]] = greatest;
}

// Puts each a little nearer to 0 than the one before: the greatest, or the least, are certain.
void put_large(double greatest, std::size_t first, std::size_t step, std::size_t count,
               std::span<double> row) {
  for (std::size_t j = 0; j < count; ++j)
    row[first + j * step] =
        greatest * (1 - static_cast<double>(j) / static_cast<double>(2 * count));
}

std::size_t large_in(std::size_t width, std::size_t wanted) {
  return std::clamp<std::size_t>(width / 2, 1, std::max<std::size_t>(wanted, 1));
}

template <int sign>
void put_cluster(const Reach& reach, const Chance& chance, std::span<double> row) {
  const std::size_t count = large_in(row.size(), chance.large);
  const std::size_t tiles = (row.size() - count) / 64 + 1;
  put_large(sign * reach.greatest, chance.word[0] % tiles * 64, 1, count, row);
}

// More distant elements fall to one part in more of the ways to deal elements out.
template <int sign>
void put_stride(const Reach& reach, const Chance& chance, std::span<double> row) {
  const std::size_t count = large_in(row.size(), chance.large);
  const std::size_t step = std::bit_floor(row.size() / count);
  put_large(sign * reach.greatest, chance.word[0] % step, step, count, row);
}

void make_steps(double offset, std::span<double> row) {
  for (std::size_t k = 0; k < row.size(); ++k)
    row[k] += (2 * k < row.size() ? 0.5 : -0.5) * offset + (k % 2 == 0 ? 0.25 : -0.25) * offset;
}

void fill(std::span<double> row, double value) { std::fill(row.begin(), row.end(), value); }

void mask_some(std::uint32_t first, std::span<double> row) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if ((k + first) % 7 != 0) row[k] = -infinity;
}

double& any_of(std::span<double> row, const Chance& chance) {
  return row[chance.word[3] % row.size()];
}

using RowSpan = std::span<double>;

// Maker of a row of each kind; `plain` rows stay as they were drawn.
struct RowShape {
  RowKind kind;
  void (*shape)(const Reach&, const Chance&, RowSpan);
};
constexpr RowShape shapes[] = {
    {RowKind::needles,
     [](const Reach& reach, const Chance& chance, RowSpan row) {
       put_needles(reach.needle, reach.greatest, 2 * chance.turn, chance.word, row);
     }},
    {RowKind::peaks,
     [](const Reach& reach, const Chance& chance, RowSpan row) {
       add(-reach.depth, row);
       put_needles(2, 3, 2 * chance.turn + 1, chance.word, row);
     }},
    {RowKind::valleys,
     [](const Reach& reach, const Chance& chance, RowSpan row) {
       put_needles(-reach.needle, -reach.greatest, 2 * chance.turn + 1, chance.word, row);
     }},
    {RowKind::down,
     [](const Reach& reach, const Chance&, RowSpan row) { scale(-reach.shift, row); }},
    {RowKind::pairs,
     [](const Reach& reach, const Chance&, RowSpan row) { make_pairs(reach.greatest, row); }},
    {RowKind::up, [](const Reach& reach, const Chance&, RowSpan row) { scale(reach.shift, row); }},
    {RowKind::zero, [](const Reach&, const Chance&, RowSpan row) { fill(row, 0); }},
    {RowKind::above,
     [](const Reach& reach, const Chance&, RowSpan row) { add(reach.offset, row); }},
    {RowKind::below,
     [](const Reach& reach, const Chance&, RowSpan row) { add(-reach.offset, row); }},
    {RowKind::far_below,
     [](const Reach& reach, const Chance& chance, RowSpan row) {
       put_needles(reach.needle, reach.greatest, 2 * chance.turn, chance.word, row);
       add(-reach.far, row);
     }},
    {RowKind::steps,
     [](const Reach& reach, const Chance&, RowSpan row) { make_steps(reach.offset, row); }},
    {RowKind::cluster, put_cluster<1>},
    {RowKind::stride, put_stride<1>},
    {RowKind::cluster_below, put_cluster<-1>},
    {RowKind::stride_below, put_stride<-1>},
    {RowKind::tiny,
     [](const Reach& reach, const Chance&, RowSpan row) { make_tiny(reach.tiny, row); }},
    {RowKind::masked_start,
     [](const Reach&, const Chance&, RowSpan row) { fill(row.first(row.size() / 2), -infinity); }},
    {RowKind::masked_end,
     [](const Reach&, const Chance&, RowSpan row) { fill(row.last(row.size() / 2), -infinity); }},
    {RowKind::masked_some,
     [](const Reach&, const Chance& chance, RowSpan row) { mask_some(chance.word[0] % 7, row); }},
    {RowKind::masked, [](const Reach&, const Chance&, RowSpan row) { fill(row, -infinity); }},
    {RowKind::infinite,
     [](const Reach&, const Chance& chance, RowSpan row) { any_of(row, chance) = infinity; }},
    {RowKind::nan,
     [](const Reach&, const Chance& chance, RowSpan row) { any_of(row, chance) = not_a_number; }}};

}  // namespace

Reach reach_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  const double tiny = std::max(type.smallest, 0x1p-60);
  if (type.kind != DTypeKind::floating || type.bits > 8)
    return {dtype == DType::float16 ? 5 : 10, 12, 13, 10, 8, tiny, 8, 120};
  if (type.largest < 12) return {1, 4, 6, 2, 2, tiny, 2, 0};
  const double next_to_12 = 12 + std::ldexp(1.0, 4 - type.significand);
  return {3, 12, next_to_12, 6, 4, tiny, 8, 0};
}

std::vector<std::size_t> edges(std::size_t n) {
  std::vector<std::size_t> out{0, n - 1};
  for (const std::size_t tile : {16U, 64U}) {
    const std::size_t last = (n - 1) / tile * tile;
    if (last > 0) out.insert(out.end(), {last, last - 1});
  }
  return out;
}

void shape_row(RowKind kind, const Reach& reach, const Chance& chance, std::span<double> row) {
  for (const RowShape& one : shapes)
    if (one.kind == kind) one.shape(reach, chance, row);
}

}  // namespace kbench
