#include "gpu/accesses.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "gpu/registers.hpp"

namespace kbench::gpu {
namespace {

constexpr int banks = 32;
constexpr int bank_bytes = 4;
constexpr int sector_bytes = 32;
constexpr std::size_t most_visits = 64;  // of a block of instructions: then it is not followed

// Instructions that are executed one after another: from a label or a branch to the next.
struct Block {
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> next;  // blocks
};

bool ends_a_block(const Instruction& one) {
  const std::string_view name = one.name();
  return name == "BRA" || name == "EXIT" || name == "RET" || name == "BRX" || name == "JMP" ||
         name == "BREAK" || name == "JMX";
}

std::string_view target_of(const Instruction& branch) {
  if (branch.operands.empty()) return {};
  std::string_view target = branch.operands.back();
  if (!target.starts_with("`(") || !target.ends_with(')')) return {};
  return target.substr(2, target.size() - 3);
}

std::set<std::size_t> begins_of_blocks(const Code& code) {
  std::set<std::size_t> begins = {0};
  for (const auto& [label, index] : code.labels) begins.insert(index);
  for (std::size_t i = 0; i < code.instructions.size(); ++i)
    if (ends_a_block(code.instructions[i])) begins.insert(i + 1);
  begins.erase(begins.lower_bound(code.instructions.size()), begins.end());
  return begins;
}

std::vector<Block> blocks_of(const Code& code) {
  const std::set<std::size_t> begins = begins_of_blocks(code);
  std::map<std::size_t, std::size_t> block_at;
  for (const std::size_t begin : begins) block_at.emplace(begin, block_at.size());
  std::vector<Block> blocks;
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto after = std::next(begin);
    Block block{*begin, after == begins.end() ? code.instructions.size() : *after, {}};
    const Instruction& last = code.instructions[block.end - 1];
    const bool goes_on = !ends_a_block(last) || !last.predicate.empty() || last.operands.size() > 1;
    if (goes_on && after != begins.end()) block.next.push_back(block_at.at(*after));
    const auto label = code.labels.find(target_of(last));
    if (ends_a_block(last) && label != code.labels.end() && block_at.contains(label->second))
      block.next.push_back(block_at.at(label->second));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// What is known where each block begins, when nothing changes any more; nothing of a block that is
// never reached.
std::vector<std::optional<Registers>> known_before(const Code& code,
                                                   const std::vector<Block>& blocks) {
  std::vector<std::optional<Registers>> before(blocks.size());
  std::vector<std::size_t> visits(blocks.size());
  before[0].emplace();
  std::deque<std::size_t> waiting = {0};
  while (!waiting.empty()) {
    const std::size_t index = waiting.front();
    waiting.pop_front();
    if (++visits[index] > most_visits) return std::vector<std::optional<Registers>>(blocks.size());
    Registers registers = *before[index];
    for (std::size_t i = blocks[index].begin; i < blocks[index].end; ++i)
      registers.apply(code.instructions[i]);
    for (const std::size_t next : blocks[index].next) {
      const bool is_new = !before[next].has_value();
      if (is_new) before[next] = registers;
      if (is_new || before[next]->merge(registers)) waiting.push_back(next);
    }
  }
  return before;
}

// "[R9.X4+UR5+0x10]" → the sum; of "desc[UR4][R2.64]" the last brackets.
Lanes address_in(std::string_view operand, const Registers& registers) {
  const auto begin = operand.rfind('[');
  const auto end = operand.rfind(']');
  if (begin == operand.npos || end == operand.npos || end < begin) return {};
  Lanes address = constant(0);
  for (const std::string_view term : split(operand.substr(begin + 1, end - begin - 1), '+')) {
    Lanes value = registers.read(term);
    for (const int factor : {4, 8, 16})
      if (term.ends_with(".X" + std::to_string(factor))) value = product(value, constant(factor));
    address = sum(address, value);
  }
  return address;
}

int bytes_of(const Instruction& one) {
  if (one.has("256")) return 32;
  if (one.has("128") || one.name() == "LDSM" || one.name() == "STSM") return 16;
  if (one.has("64")) return 8;
  if (one.has("U16") || one.has("S16")) return 2;
  return one.has("U8") || one.has("S8") ? 1 : 4;
}

// Returns how often the busiest bank is asked for another word by the lanes that are served in one
// pass.
int passes_of(const Lanes& address, int begin, int end, int bytes) {
  std::array<std::set<std::int64_t>, banks> words;
  for (int lane = begin; lane < end; ++lane) {
    const std::int64_t at = address.offset[static_cast<std::size_t>(lane)];
    for (std::int64_t byte = at; byte < at + bytes; byte += bank_bytes) {
      const std::int64_t word = byte >> 2;
      words[static_cast<std::size_t>(word & (banks - 1))].insert(word);
    }
  }
  std::size_t most = 1;
  for (const auto& bank : words) most = std::max(most, bank.size());
  return static_cast<int>(most);
}

int times_in_banks(const Lanes& address, int bytes) {
  const int group = std::min(warp_lanes, banks * bank_bytes / std::max(bytes, bank_bytes));
  int most = 1;
  for (int begin = 0; begin < warp_lanes; begin += group)
    most = std::max(most, passes_of(address, begin, begin + group, bytes));
  return most;
}

int times_in_sectors(const Lanes& address, int bytes) {
  std::set<std::int64_t> sectors;
  for (const std::int64_t at : address.offset)
    for (std::int64_t byte = at; byte < at + bytes; byte += std::min(bytes, sector_bytes))
      sectors.insert(byte >> 5);
  const int enough = std::max(1, warp_lanes * bytes / sector_bytes);
  return static_cast<int>(sectors.size()) / enough;
}

std::optional<Access> access_of(const Instruction& one, const Registers& registers) {
  const std::string_view name = one.name();
  const bool is_shared = name == "LDS" || name == "STS" || name == "LDSM" || name == "STSM";
  const bool is_global = name == "LDG" || name == "STG";
  if (!is_shared && !is_global) return std::nullopt;
  const bool is_store = name.starts_with("ST");
  const auto place = std::find_if(one.operands.begin(), one.operands.end(),
                                  [](std::string_view word) { return word.ends_with(']'); });
  if (place == one.operands.end() || (is_store && place != one.operands.begin()))
    return std::nullopt;
  const Lanes address = address_in(*place, registers);
  if (!address.is_known) return std::nullopt;
  const int bytes = bytes_of(one);
  return Access{&one, is_shared,
                is_shared ? times_in_banks(address, bytes) : times_in_sectors(address, bytes)};
}

}  // namespace

std::vector<Access> costly_accesses(const Code& code) {
  std::vector<Access> found;
  if (code.instructions.empty()) return found;
  const std::vector<Block> blocks = blocks_of(code);
  const auto before = known_before(code, blocks);
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    if (!before[index]) continue;
    Registers registers = *before[index];
    for (std::size_t i = blocks[index].begin; i < blocks[index].end; ++i) {
      const auto access = access_of(code.instructions[i], registers);
      if (access && access->times > 1) found.push_back(*access);
      registers.apply(code.instructions[i]);
    }
  }
  return found;
}

}  // namespace kbench::gpu
