#include "gpu/instruction_mix.hpp"

#include <algorithm>

namespace kbench::gpu {
namespace {

struct Row {
  std::string_view name;  // of the instruction; what begins with it where it ends with '*'
  std::int64_t InstructionMix::*count;
};

using Mix = InstructionMix;

// The first that fits counts.
constexpr Row rows[] = {
    {"HMMA", &Mix::tensor},
    {"IMMA", &Mix::tensor},
    {"DMMA", &Mix::tensor},
    {"BMMA", &Mix::tensor},
    {"QMMA", &Mix::tensor},
    {"OMMA", &Mix::tensor},
    {"HGMMA", &Mix::tensor},
    {"IGMMA", &Mix::tensor},
    {"QGMMA", &Mix::tensor},
    {"BGMMA", &Mix::tensor},
    {"UTCHMMA", &Mix::tensor},
    {"UTCIMMA", &Mix::tensor},
    {"UTCQMMA", &Mix::tensor},
    {"UTCOMMA", &Mix::tensor},
    {"LDGSTS", &Mix::async_copies},
    {"UBLKCP", &Mix::async_copies},
    {"UTMALDG", &Mix::async_copies},
    {"UTMASTG", &Mix::async_copies},
    {"LDG", &Mix::global_loads},
    {"LD", &Mix::global_loads},
    {"STG", &Mix::global_stores},
    {"ST", &Mix::global_stores},
    {"LDS", &Mix::shared_loads},
    {"LDSM", &Mix::shared_loads},
    {"STS", &Mix::shared_stores},
    {"STSM", &Mix::shared_stores},
    {"LDL", &Mix::local},
    {"STL", &Mix::local},
    {"ATOM*", &Mix::atomics},
    {"RED", &Mix::atomics},
    {"REDG", &Mix::atomics},
    {"REDS", &Mix::atomics},
    {"SHFL", &Mix::shuffles},
    {"REDUX", &Mix::shuffles},
    {"CREDUX", &Mix::shuffles},
    {"BAR", &Mix::barriers},
    {"MUFU", &Mix::special},
    {"FADD*", &Mix::float32},
    {"FMUL*", &Mix::float32},
    {"FFMA*", &Mix::float32},
    {"FMNMX*", &Mix::float32},
    {"FSETP", &Mix::float32},
    {"FSEL", &Mix::float32},
    {"FSET", &Mix::float32},
    {"HADD2", &Mix::float16},
    {"HMUL2", &Mix::float16},
    {"HFMA2", &Mix::float16},
    {"HMNMX2", &Mix::float16},
    {"HSETP2", &Mix::float16},
    {"HSET2", &Mix::float16},
    {"DADD", &Mix::float64},
    {"DMUL", &Mix::float64},
    {"DFMA", &Mix::float64},
    {"DSETP", &Mix::float64},
    {"DMNMX", &Mix::float64},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

// "HFMA2.MMA R2, -RZ, RZ, 0, 2.4e-07": how compilers load a number.
bool loads_a_number(const Instruction& one) {
  return one.operands.size() > 2 && one.operands[1] == "-RZ" && one.operands[2] == "RZ";
}

}  // namespace

InstructionMix mix_of(const Code& code) {
  InstructionMix mix;
  for (const Instruction& one : code.instructions) {
    ++mix.all;
    const auto row = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& each) { return fits(each.name, one.name()); });
    if (row == std::end(rows) || loads_a_number(one)) continue;
    ++(mix.*row->count);
    const bool is_wide = one.has("128") || one.has("256");
    if (is_wide && row->count == &Mix::global_loads) ++mix.wide_global_loads;
    if (is_wide && row->count == &Mix::global_stores) ++mix.wide_global_stores;
  }
  return mix;
}

}  // namespace kbench::gpu
