#include "gpu/registers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace kbench::gpu {
namespace {

constexpr int first_uniform = 256;
constexpr int first_predicate = 512;

// "-R5.reuse" → R5; "|R5|" and "~R5" are not linear in it and stay what they are.
struct Operand {
  std::string_view name;  // "R5"
  bool is_negative = false;
};

Operand operand_in(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  return {text.substr(0, text.find('.')), is_negative};
}

std::optional<int> number_in(std::string_view digits) {
  int number = 0;
  const auto end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// "R5" → 5, "UR4" → first_uniform + 4; nothing for what is no register.
std::optional<int> register_number(std::string_view name) {
  const int base = name.starts_with("UR") ? first_uniform : 0;
  if (!name.starts_with("R") && base == 0) return std::nullopt;
  const auto number = number_in(name.substr(base == 0 ? 1 : 2));
  return number ? std::optional(base + *number) : std::nullopt;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, is_hexadecimal ? 16 : 10);
  if (error != std::errc() || rest != end) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Lanes special_register(std::string_view operand) {
  if (operand == "SR_TID.X") return lane_number(warp_lanes);
  if (operand == "SR_LANEID") return lane_number(0);
  const bool is_of_lanes = operand.starts_with("SR_EQMASK") || operand.starts_with("SR_LT") ||
                           operand.starts_with("SR_LE") || operand.starts_with("SR_G");
  return is_of_lanes ? Lanes{} : any_number();
}

// "!P3", "UP1", "PT".
bool is_predicate(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  if (operand.starts_with('U')) operand.remove_prefix(1);
  return operand.size() == 2 && operand[0] == 'P' && operand != "PR";
}

// "P3" → first_predicate + 3; nothing for those that are the same in all lanes.
std::optional<int> predicate_number(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  if (!operand.starts_with('P')) return std::nullopt;
  const auto number = number_in(operand.substr(1));
  return number ? std::optional(first_predicate + *number) : std::nullopt;
}

using Sources = std::span<const Lanes>;

Lanes total(Sources sources) {
  Lanes all = constant(0);
  for (const Lanes& one : sources) all = sum(all, one);
  return all;
}

Lanes first(Sources s) { return s[0]; }
Lanes last(Sources s) { return s.back(); }
Lanes multiplied(Sources s) { return sum(product(s[0], s[1]), s[2]); }
Lanes scaled(Sources s) { return sum(shifted_left(s[0], s[2]), s[1]); }
Lanes left(Sources s) { return shifted_left(s[0], s[1]); }
Lanes right(Sources s) { return shifted_right(s[0], s[1]); }
Lanes high_right(Sources s) { return shifted_right(s[2], s[1]); }
Lanes logic(Sources s) {
  const Lanes& table = s[3];
  return bitwise({s[0], s[1], s[2]}, static_cast<unsigned>(table.offset[0]));
}

// How the result of an instruction that is followed is found; `modifier` "" stands for any but
// those with a row of their own before it.
struct Rule {
  std::string_view name;
  std::string_view modifier;
  std::size_t sources;  // at least
  Lanes (*result)(Sources);
};

constexpr Rule rules[] = {
    {"MOV", "", 1, &first},        {"MOV32I", "", 1, &first},    {"S2R", "", 1, &first},
    {"CS2R", "", 1, &first},       {"IMAD", "MOV", 3, &last},    {"IMAD", "HI", 9, nullptr},
    {"IMAD", "X", 9, nullptr},     {"IMAD", "", 3, &multiplied}, {"IADD3", "X", 9, nullptr},
    {"IADD3", "", 3, &total},      {"IADD", "X", 9, nullptr},    {"IADD", "", 2, &total},
    {"VIADD", "", 2, &total},      {"LEA", "HI", 9, nullptr},    {"LEA", "", 3, &scaled},
    {"SHF", "HI", 3, &high_right}, {"SHF", "U64", 9, nullptr},   {"SHF", "L", 3, &left},
    {"SHL", "", 2, &left},         {"SHR", "", 2, &right},       {"LOP3", "", 4, &logic},
};

// Uniform instructions are as the others.
std::string_view plain_name(const Instruction& instruction) {
  std::string_view name = instruction.name();
  if (name.starts_with('U') && name != "ULDC") name.remove_prefix(1);
  return name;
}

const Rule* rule_for(const Instruction& instruction) {
  const std::string_view name = plain_name(instruction);
  const auto found = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& rule) {
    return rule.name == name && (rule.modifier.empty() || instruction.has(rule.modifier));
  });
  // "SHF.L.U64.HI" shifts two registers.
  const bool is_wide_shift = name == "SHF" && instruction.has("L") && instruction.has("HI");
  return found == std::end(rules) || is_wide_shift ? nullptr : found;
}

// What is in memory or comes from other lanes.
bool is_of_lanes(const Instruction& instruction) {
  constexpr std::array<std::string_view, 12> names = {
      "LD", "LDG", "LDS", "LDL", "LDSM", "ATOM", "ATOMG", "ATOMS", "SHFL", "HMMA", "IMMA", "DMMA"};
  const std::string_view name = instruction.name();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// It has its own rules for registers, or goes where they are changed.
bool changes_all(const Instruction& instruction) {
  constexpr std::array<std::string_view, 8> names = {"CALL",  "HGMMA", "IGMMA", "QGMMA",
                                                     "BGMMA", "LDTM",  "LDT",   "TCATOMSWS"};
  const std::string_view name = instruction.name();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Registers that it writes to from its first one on.
int width_of(const Instruction& instruction) {
  struct Width {
    std::string_view modifier;
    int registers;
  };
  constexpr std::array<Width, 7> widths = {
      {{"256", 8}, {"128", 4}, {"4", 4}, {"64", 2}, {"WIDE", 2}, {"F64", 2}, {"2", 2}}};
  const auto width = std::find_if(widths.begin(), widths.end(),
                                  [&](const Width& one) { return instruction.has(one.modifier); });
  if (width != widths.end()) return width->registers;
  const std::string_view name = instruction.name();
  if (name.ends_with("MMA")) return 4;
  const bool is_double = name.starts_with('D') && name != "DEPBAR";
  return is_double || (name == "CS2R" && !instruction.has("32")) ? 2 : 1;
}

// Bits of a number that 16 bits hold: IEEE 754 binary16.
std::optional<std::uint32_t> half_bits(std::string_view text) {
  double number = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || std::abs(number) > 65504) return std::nullopt;
  constexpr int least_exponent = -14, fraction_bits = 10;
  const std::uint32_t sign = std::signbit(number) ? 0x8000 : 0;
  if (number == 0) return sign;
  const int exponent = std::max(std::ilogb(number), least_exponent);
  const auto scaled =
      static_cast<std::uint32_t>(std::ldexp(std::abs(number), fraction_bits - exponent));
  // The leading bit of a normal number adds the last 1 to the exponent's field.
  return sign | ((static_cast<std::uint32_t>(exponent - least_exponent) << fraction_bits) + scaled);
}

// "HFMA2 R2, -RZ, RZ, 0, 2.4e-07" is how a number is loaded on the way of arithmetic in pairs of 16
// bits.
std::optional<std::int64_t> loaded_number(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.name() != "HFMA2" || operands.size() < 5) return std::nullopt;
  if (operands[1] != "-RZ" || operands[2] != "RZ") return std::nullopt;
  const auto high = half_bits(operands[3]);
  const auto low = half_bits(operands[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<std::int64_t>(*high << 16 | *low);
}

// A register that it names first is one that it writes to.
bool has_result(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> without = {"R2P", "BAR", "NANOSLEEP", "WARPSYNC",
                                                       "RED", "RET", "BRX"};
  const std::string_view name = instruction.name();
  return std::find(without.begin(), without.end(), name) == without.end();
}

// It only compares: its first two operands are what it writes to.
bool compares(const Instruction& instruction) {
  const std::string_view name = instruction.name();
  return name.find("SETP") != name.npos || name == "PLOP3" || name == "UPLOP3";
}

struct Parts {
  std::string_view result;                   // the first register, "" where there is none
  std::vector<std::string_view> targets;     // predicates that it writes to
  std::vector<std::string_view> sources;     // numbers that it reads
  std::vector<std::string_view> conditions;  // predicates that it reads
};

// "IADD3 R4, P0, PT, R0, R17, RZ, !PT": predicates before and right behind the result are written.
Parts parts_of(const Instruction& instruction) {
  Parts parts;
  auto operand = instruction.operands.begin();
  const auto end = instruction.operands.end();
  const bool is_vote = instruction.name().starts_with("VOTE");
  const std::size_t most = is_vote ? 1 : compares(instruction) ? 2 : instruction.operands.size();
  const auto take_targets = [&] {
    while (operand != end && is_predicate(*operand) && parts.targets.size() < most)
      parts.targets.push_back(*operand++);
  };
  take_targets();
  if (!compares(instruction) && has_result(instruction) && operand != end && !is_vote) {
    parts.result = *operand++;
    take_targets();
  }
  for (; operand != end; ++operand)
    (is_predicate(*operand) ? parts.conditions : parts.sources).push_back(*operand);
  return parts;
}

}  // namespace

// "c[0x0][R4]": the same for all lanes where the index is.
Lanes Registers::read_constant(std::string_view operand) const {
  const auto index = operand.rfind('[');
  const auto end = operand.rfind(']');
  if (end == operand.npos || index >= end) return {};
  const Lanes at = read(operand.substr(index + 1, end - index - 1));
  return gpu::is_same_in_all_lanes(at) ? any_number() : Lanes{};
}

Lanes Registers::read_register(int number) const {
  const auto found = known_.find(number);
  if (found != known_.end()) return found->second;
  return number >= first_uniform ? any_number() : Lanes{};
}

Lanes Registers::read(std::string_view operand) const {
  if (operand.starts_with("SR_")) return special_register(operand);
  const Operand one = operand_in(operand);
  if (one.name == "RZ" || one.name == "URZ" || one.name == "SRZ") return constant(0);
  if (const auto integer = integer_in(one.name))
    return constant(one.is_negative ? -*integer : *integer);
  if (const auto number = register_number(one.name)) {
    const Lanes value = read_register(*number);
    return one.is_negative ? negative(value) : value;
  }
  if (one.name.starts_with("c[") || one.name.starts_with("cx[")) return read_constant(operand);
  const bool may_be_register = one.name.find('R') != one.name.npos;
  return may_be_register ? Lanes{} : any_number();  // a number with a fraction
}

bool Registers::is_same_in_all_lanes(std::string_view predicate) const {
  const auto number = predicate_number(predicate);
  return !number || known_.contains(*number);
}

// Where it is divided, some lanes keep what they had.
void Registers::write(int number, const Lanes& value, bool is_divided) {
  Lanes written = value;
  const bool is_uniform = number >= first_uniform && number < first_predicate;
  if (is_uniform && !written.is_known) written = any_number();
  const auto before = known_.find(number);
  const bool is_same = before != known_.end() && before->second == written;
  if (written.is_known && (!is_divided || is_same))
    known_[number] = written;
  else if (before != known_.end())
    known_.erase(before);
}

struct Registers::Effect {
  Lanes result;
  bool is_uniform = false;  // the same in all lanes whatever it is
  bool is_guarded = false;  // by a predicate
  bool is_divided = false;  // which is not the same in all lanes
};

Registers::Effect Registers::effect_of(const Instruction& instruction) const {
  const Parts parts = parts_of(instruction);
  std::vector<Lanes> sources;
  for (const std::string_view source : parts.sources) sources.push_back(read(source));
  Effect effect;
  effect.is_uniform =
      !is_of_lanes(instruction) &&
      std::all_of(sources.begin(), sources.end(), &gpu::is_same_in_all_lanes) &&
      std::all_of(parts.conditions.begin(), parts.conditions.end(),
                  [this](std::string_view one) { return is_same_in_all_lanes(one); });
  const Rule* const rule = rule_for(instruction);
  const bool is_followed =
      rule != nullptr && rule->result != nullptr && sources.size() >= rule->sources;
  if (const auto number = loaded_number(instruction))
    effect.result = constant(*number);
  else if (is_followed)
    effect.result = rule->result(sources);
  else if (effect.is_uniform)
    effect.result = any_number();
  std::string_view guard = instruction.predicate;
  effect.is_guarded = !guard.empty();
  if (effect.is_guarded) guard.remove_prefix(1);
  effect.is_divided = !is_same_in_all_lanes(guard);
  return effect;
}

void Registers::apply(const Instruction& instruction) {
  if (changes_all(instruction)) return known_.clear();
  const Parts parts = parts_of(instruction);
  const Effect effect = effect_of(instruction);
  const auto number = register_number(operand_in(parts.result).name);
  for (int i = 0; number && i < width_of(instruction); ++i) {
    const auto before = known_.find(*number + i);
    Lanes written = i == 0 ? effect.result : Lanes{};
    // All lanes write or none does.
    if (effect.is_guarded && !effect.is_divided)
      written = either(written, before == known_.end() ? Lanes{} : before->second);
    write(*number + i, written, effect.is_divided);
  }
  for (const std::string_view target : parts.targets)
    if (const auto predicate = predicate_number(target))
      write(*predicate, effect.is_uniform ? any_number() : Lanes{}, effect.is_divided);
}

bool Registers::merge(const Registers& other) {
  bool has_changed = false;
  for (auto one = known_.begin(); one != known_.end();) {
    const auto same = other.known_.find(one->first);
    const Lanes merged = same == other.known_.end() ? Lanes{} : either(one->second, same->second);
    has_changed |= !(merged == one->second);
    if (merged.is_known) {
      one->second = merged;
      ++one;
    } else {
      one = known_.erase(one);
    }
  }
  return has_changed;
}

}  // namespace kbench::gpu
