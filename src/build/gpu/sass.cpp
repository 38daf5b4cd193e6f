#include "build/gpu/sass.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace kbench::gpu {
namespace {

constexpr std::string_view section_mark = "\t.section\t.text.";
constexpr std::string_view target_mark = "\t.target\t";

// `text` up to the first of `ends`, which is taken off with it.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = std::min(text.find_first_of(ends), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::vector<std::string_view> operands_in(std::string_view text) {
  std::vector<std::string_view> operands;
  for (const std::string_view word : split(text, ',')) {
    const std::string_view operand = trim(word);
    if (!operand.empty()) operands.push_back(operand);
  }
  return operands;
}

// Parses a line such as "/*0130*/ @P0 STS [R9], R2 ;".
Instruction instruction_in(std::string_view line) {
  Instruction instruction;
  line.remove_prefix(2);
  instruction.address = take_until(line, "*");
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  line = trim(line.substr(0, line.find(';')));
  if (line.starts_with('@')) {
    instruction.predicate = take_until(line, " ");
    line = trim(line);
  }
  instruction.opcode = take_until(line, " ");
  instruction.operands = operands_in(line);
  return instruction;
}

// Padding fills the rest: NOPs, and the branch to itself before them.
bool is_padding(const Code& code, std::size_t index) {
  const Instruction& one = code.instructions[index];
  if (one.name() == "NOP") return true;
  if (one.name() != "BRA" || !one.predicate.empty() || one.operands.size() != 1) return false;
  std::string_view target = one.operands[0];
  if (!target.starts_with("`(") || !target.ends_with(')')) return false;
  target = target.substr(2, target.size() - 3);
  const auto label = code.labels.find(target);
  return label != code.labels.end() && label->second == index;
}

void drop_padding(Code& code) {
  while (!code.instructions.empty() && is_padding(code, code.instructions.size() - 1))
    code.instructions.pop_back();
}

}  // namespace

bool Instruction::has(std::string_view modifier) const {
  const auto words = split(opcode, '.');
  return std::find(words.begin() + 1, words.end(), modifier) != words.end();
}

std::vector<Code> read_sass(std::string_view disassembly) {
  std::vector<Code> codes;
  std::string_view architecture;
  bool is_code = false;  // the section has machine code
  for (const std::string_view line : split(disassembly, '\n')) {
    if (line.starts_with(target_mark)) architecture = trim(line.substr(target_mark.size()));
    if (line.starts_with("\t.section\t")) {
      is_code = line.starts_with(section_mark);
      if (!is_code) continue;
      std::string_view name = line.substr(section_mark.size());
      codes.push_back({take_until(name, ","), architecture, false, {}, {}});
    }
    if (!is_code) continue;
    const std::string_view text = trim(line);
    if (text.starts_with("/*")) {
      const Instruction instruction = instruction_in(text);
      if (!instruction.opcode.empty()) codes.back().instructions.push_back(instruction);
    } else if (text.starts_with(".L") && text.ends_with(':')) {
      codes.back().labels[text.substr(0, text.size() - 1)] = codes.back().instructions.size();
    } else if (text.find("STO_CUDA_ENTRY") != text.npos) {
      codes.back().is_kernel = true;
    }
  }
  for (Code& code : codes) drop_padding(code);
  std::erase_if(codes, [](const Code& code) { return code.instructions.empty(); });
  return codes;
}

namespace {

struct Row {
  std::string_view name;  // an instruction's; with '*' at the end, the begin of names
  std::int64_t InstructionMix::*count;
};

using Mix = InstructionMix;

// The first row that fits counts.
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

// Compilers load a number so: "HFMA2.MMA R2, -RZ, RZ, 0, 2.4e-07".
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
