// Matrix instructions of a warp in PTX, by the fragments' layouts of the PTX ISA.
#include <cstring>

#include "emulate/runtime/collective.hpp"
#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {
namespace {

constexpr PtxType word_type{'b', 32, 1};
constexpr unsigned row_bytes = 16;

// Data of a lane in ldmatrix and stmatrix: the row that it says, and its registers.
struct Rows {
  char* row;
  std::uint32_t registers[4];
  unsigned count;
  bool is_transposed;
};

// Lanes 8 m to 8 m + 7 say the rows of matrix m. Lane i has two elements of row i / 4; of column
// i / 4 with .trans.
template <bool is_store>
void move_matrices(const Exchange& exchange) {
  const auto rows_of = [&](unsigned lane) {
    return static_cast<Rows*>(const_cast<void*>(exchange.lanes[lane].in));
  };
  const unsigned count = rows_of(0)->count;
  for (unsigned i = 0; i < 8 * count; ++i)
    check_for_lane(i, {rows_of(i)->row, row_bytes, row_bytes},
                   is_store ? Access::write : Access::read, exchange.place);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned m = 0; m < count; ++m)
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = lane / 4, column = lane % 4 * 2 + half;
        if (rows_of(0)->is_transposed) std::swap(row, column);
        char* const element = rows_of(8 * m + row)->row + 2 * column;
        char* const own = reinterpret_cast<char*>(&rows_of(lane)->registers[m]) + 2 * half;
        std::memcpy(is_store ? element : own, is_store ? own : element, 2);
      }
}

void need_all_lanes(const PtxRun& run, const PtxInstruction& one) {
  if (static_cast<std::size_t>(__builtin_popcount(present_lanes())) != 32)
    fail("BAD_SYNC_MASK",
         (one.opcode + " in a warp of which lanes are missing or have ended").c_str(), run.place());
}

Rows rows_for(PtxRun& run, const PtxInstruction& one, std::size_t address) {
  need_all_lanes(run, one);
  Rows rows{};
  const std::string_view count = ptx_word(one, 3);  // x1, x2, x4
  rows.count = static_cast<unsigned>(count[1] - '0');
  rows.is_transposed = has_ptx_word(one, "trans");
  if (one.operands.size() != 2) not_emulated("PTX ldmatrix without two operands", run.place());
  const bool is_shared = has_ptx_word(one, "shared") || has_ptx_word(one, "shared::cta");
  rows.row = static_cast<char*>(run.address(one.operands[address], is_shared));
  return rows;
}

const PtxOperand& part(const PtxRun& run, const PtxOperand& operand, std::size_t i,
                       std::size_t count) {
  if (count == 1 && operand.kind != PtxOperand::Kind::vector) return operand;
  if (operand.elements.size() != count)
    not_emulated("PTX with a fragment of another length", run.place());
  return operand.elements[i];
}

// Sizes of m16n8k16 and its relatives, and elements in a register of A and B.
struct Shape {
  unsigned m, n, k, packed;
  unsigned a_registers() const { return m / 8 * (k / (4 * packed)); }
  unsigned b_registers() const { return k / (4 * packed); }
  unsigned results() const { return m / 8 * 2; }
};

Shape shape_of(const PtxRun& run, const PtxInstruction& one, PtxType element) {
  Shape shape{};
  unsigned* const sizes[] = {&shape.m, &shape.n, &shape.k};
  int which = -1;
  for (const char c : ptx_word(one, 2)) {
    if (c >= '0' && c <= '9')
      *sizes[which] = *sizes[which] * 10 + static_cast<unsigned>(c - '0');
    else
      ++which;
  }
  shape.packed = 32 / element.bits;
  const unsigned deepest = element.bits == 32 ? 8 : element.bits == 16 ? 16 : 32;
  const unsigned least = element.bits == 32 ? 4 : element.bits == 16 ? 8 : 16;
  if (shape.k > deepest || shape.k < least || (shape.m == 8 && element.bits != 8))
    not_emulated(("PTX " + one.opcode).c_str(), run.place());
  return shape;
}

struct Fragments {
  Shape shape;
  PtxType a_type, b_type, c_type, d_type;
  std::uint32_t a[4], b[2], c[4], d[4];
  bool saturates;
};

struct Matrices {
  float a[16][32], b[8][32];  // B's columns
};

void gather(const Exchange& exchange, const Shape& s, Matrices& out) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto& mine = *static_cast<const Fragments*>(exchange.lanes[lane].in);
    const unsigned group = lane / 4, in_group = lane % 4;
    const auto depth = [&](unsigned i, unsigned step) {
      return in_group * s.packed + i % s.packed + i / s.packed / step * 4 * s.packed;
    };
    for (unsigned i = 0; i < s.a_registers() * s.packed; ++i) {
      const unsigned rows = s.m / 8;
      out.a[group + 8 * (i / s.packed % rows)][depth(i, rows)] =
          static_cast<float>(number_at(mine.a, i, mine.a_type));
    }
    for (unsigned i = 0; i < s.b_registers() * s.packed; ++i)
      out.b[group][depth(i, 1)] = static_cast<float>(number_at(mine.b, i, mine.b_type));
  }
}

std::uint32_t integer_sum(const Matrices& in, unsigned row, unsigned column, const Fragments& mine,
                          std::uint32_t start) {
  std::int64_t sum = static_cast<std::int32_t>(start);
  for (unsigned k = 0; k < mine.shape.k; ++k)
    sum += static_cast<std::int64_t>(in.a[row][k]) * static_cast<std::int64_t>(in.b[column][k]);
  if (mine.saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return static_cast<std::uint32_t>(sum);
}

void multiply(const Exchange& exchange) {
  const auto of = [&](unsigned lane) {
    return static_cast<Fragments*>(const_cast<void*>(exchange.lanes[lane].in));
  };
  const Shape s = of(0)->shape;
  Matrices in;
  gather(exchange, s, in);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < s.results(); ++i) {
      Fragments& mine = *of(lane);
      const unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
      if (mine.d_type.kind == 's') {
        mine.d[i] = integer_sum(in, row, column, mine, mine.c[i]);
        continue;
      }
      auto sum = static_cast<float>(number_at(mine.c, i, mine.c_type));
      for (unsigned k = 0; k < s.k; ++k) sum += in.a[row][k] * in.b[column][k];
      set_number(mine.d, i, mine.d_type, sum);
    }
}

bool fits(const Fragments& f) {
  const bool is_integer = f.d_type.kind == 's';
  const bool are_integers = f.a_type.kind == 's' || f.a_type.kind == 'u';
  const bool is_half = f.d_type.bits == 16 || f.c_type.bits == 16;
  return is_integer == are_integers && (f.c_type.kind == 's') == is_integer &&
         f.a_type.bits == f.b_type.bits && (!is_half || f.a_type.kind != 'B') &&
         (f.b_type.kind == 's' || f.b_type.kind == 'u') == are_integers;
}

}  // namespace

void step_load_matrix(PtxRun& run, const PtxInstruction& one) {
  Rows rows = rows_for(run, one, 1);
  collective(move_matrices<false>, 0xffffffff, {&rows, nullptr, 0}, run.place());
  for (unsigned i = 0; i < rows.count; ++i)
    run.set(part(run, one.operands[0], i, rows.count), rows.registers[i], word_type);
}

void step_store_matrix(PtxRun& run, const PtxInstruction& one) {
  Rows rows = rows_for(run, one, 0);
  for (unsigned i = 0; i < rows.count; ++i)
    rows.registers[i] =
        static_cast<std::uint32_t>(run.get(part(run, one.operands[1], i, rows.count), word_type));
  collective(move_matrices<true>, 0xffffffff, {&rows, nullptr, 0}, run.place());
}

void step_mma(PtxRun& run, const PtxInstruction& one) {
  need_all_lanes(run, one);
  Fragments f{};
  f.d_type = ptx_type(ptx_word(one, -4));
  f.a_type = ptx_type(ptx_word(one, -3));
  f.b_type = ptx_type(ptx_word(one, -2));
  f.c_type = ptx_type(ptx_word(one, -1));
  f.saturates = has_ptx_word(one, "satfinite");
  f.shape = shape_of(run, one, f.a_type);
  if (!fits(f) || one.operands.size() != 4)
    not_emulated(("PTX " + one.opcode).c_str(), run.place());
  const auto read = [&](std::size_t operand, std::uint32_t* to, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      to[i] = static_cast<std::uint32_t>(
          run.get(part(run, one.operands[operand], i, count), word_type));
  };
  read(1, f.a, f.shape.a_registers());
  read(2, f.b, f.shape.b_registers());
  read(3, f.c, f.shape.results() * f.c_type.bits / 32);
  collective(multiply, 0xffffffff, {&f, nullptr, 0}, run.place());
  const unsigned count = f.shape.results() * f.d_type.bits / 32;
  for (unsigned i = 0; i < count; ++i)
    run.set(part(run, one.operands[0], i, count), f.d[i], word_type);
}

}  // namespace kbench_emulation
