// What a register holds in the 32 lanes of a warp, as far as that is known without running them:
// enough to see which addresses the lanes of one load or store ask for together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace kbench::gpu {

constexpr int warp_lanes = 32;

// Lane i holds base + offset[i]. The base is the same number in all lanes, of which only a divisor
// is known; divisor 0: it is 0, and the register is known.
struct Lanes {
  bool is_known = false;  // else nothing is
  std::int64_t divisor = 1;
  std::array<std::int64_t, warp_lanes> offset{};

  friend bool operator==(const Lanes&, const Lanes&) = default;
};

Lanes any_number();  // the same in all lanes
Lanes constant(std::int64_t value);
// 0 to 31, plus a multiple of `divisor`: threadIdx.x where blocks have whole warps in x.
Lanes lane_number(std::int64_t divisor);

bool is_same_in_all_lanes(const Lanes& value);

Lanes sum(const Lanes& a, const Lanes& b);
Lanes product(const Lanes& a, const Lanes& b);
Lanes negative(const Lanes& a);
Lanes shifted_left(const Lanes& a, const Lanes& by);
Lanes shifted_right(const Lanes& a, const Lanes& by);
// Applies `table` to each bit of three numbers; bit 4a + 2b + c of it is the result of bits a, b,
// c, as in PTX's lop3.
Lanes bitwise(const std::array<Lanes, 3>& numbers, unsigned table);

// What is known when it is one of them. Lanes that go on together are taken to come by one way.
Lanes either(const Lanes& a, const Lanes& b);

}  // namespace kbench::gpu
