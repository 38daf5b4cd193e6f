// Known instructions of PTX: a row for each form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

enum class PtxOperation : unsigned char {
  none,
  move,
  load,
  store,
  convert_address,
  arithmetic,
  multiply,
  multiply_add,
  fused,
  divide,
  compare,
  select,
  logic,
  shift,
  funnel,
  lop3,
  permute,
  bit_field,
  count_bits,
  function,
  convert,
  convert_pair,
  atomic,
  reduce,
  shuffle,
  vote,
  match,
  redux,
  active_mask,
  elect,
  block_barrier,
  arrive,
  warp_barrier,
  fence,
  copy_async,
  copy_commit,
  copy_wait,
  load_matrix,
  store_matrix,
  mma,
  barrier_init,
  barrier_arrive,
  barrier_wait,
  barrier_of_copies,
  branch,
  sleep,
  trap,
  is_space,
  copy_sign
};

// Row of words after the opcode's name, each in a slot: alternatives parted by |, and a ? before
// them if there may be none.
struct PtxForm {
  std::string_view grammar;
  PtxOperation operation;
};
const std::vector<PtxForm>& ptx_forms();

// Finds the row that an opcode belongs to and the words in its slots; false where there is none.
bool match_ptx(std::string_view opcode, std::size_t& form, std::vector<std::string>& words);

}  // namespace kbench
