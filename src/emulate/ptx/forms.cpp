#include "emulate/ptx/forms.hpp"

#include <algorithm>

namespace kbench {
namespace {

// Types of operands, and modifiers that many have.
#define KB_B "b16|b32|b64"
#define KB_I "u16|u32|u64|s16|s32|s64"
#define KB_F "f32|f64|f16|f16x2|bf16|bf16x2"
#define KB_SPACE "?global|shared|shared::cta|local|const|param"
#define KB_MEMORY "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define KB_SCOPE "?cta|gpu|sys|cluster"
#define KB_ROUND "?rn|rz|rm|rp"
#define KB_HINTS                                                                          \
  "?L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate " \
  "?L2::cache_hint ?L2::64B|L2::128B|L2::256B"

using O = PtxOperation;
const std::vector<PtxForm> forms = {
    {"mov pred|u16|u32|u64|s16|s32|s64|f32|f64|" KB_B, O::move},
    {"ld ?weak|volatile|relaxed|acquire " KB_SCOPE " " KB_SPACE " ?ca|cg|cs|lu|cv ?nc " KB_HINTS
     " ?v2|v4 " KB_MEMORY,
     O::load},
    {"ld global|shared relaxed|acquire " KB_SCOPE " ?v2|v4 " KB_MEMORY, O::load},
    {"ldu ?global ?v2|v4 " KB_MEMORY, O::load},
    {"st ?weak|volatile|relaxed|release " KB_SCOPE " " KB_SPACE " ?wb|cg|cs|wt " KB_HINTS
     " ?v2|v4 " KB_MEMORY,
     O::store},
    {"st global|shared relaxed|release " KB_SCOPE " ?v2|v4 " KB_MEMORY, O::store},
    {"prefetch ?global|local L1|L2|L2::evict_last|L2::evict_normal", O::none},
    {"prefetchu L1", O::none},
    {"cvta ?to global|shared|shared::cta|local|const|param u32|u64", O::convert_address},
    {"isspacep global|shared|shared::cta|local|const|param", O::is_space},
    {"add " KB_ROUND " ?ftz ?sat " KB_I "|" KB_F, O::arithmetic},
    {"sub " KB_ROUND " ?ftz ?sat " KB_I "|" KB_F, O::arithmetic},
    {"min ?ftz ?NaN ?relu " KB_I "|" KB_F, O::arithmetic},
    {"max ?ftz ?NaN ?relu " KB_I "|" KB_F, O::arithmetic},
    {"mul " KB_ROUND " ?ftz ?sat " KB_F, O::arithmetic},
    {"mul lo|hi|wide " KB_I, O::multiply},
    {"mul24 lo|hi u32|s32", O::multiply},
    {"mad lo|hi|wide " KB_I, O::multiply_add},
    {"mad24 lo u32|s32", O::multiply_add},
    {"fma rn|rz|rm|rp ?ftz ?sat|relu " KB_F, O::fused},
    {"mad rn|rz|rm|rp ?ftz ?sat f32|f64", O::fused},
    {"div ?approx|full|rn ?ftz f32|f64", O::divide},
    {"div " KB_I, O::divide},
    {"rem " KB_I, O::divide},
    {"abs ?ftz s16|s32|s64|" KB_F, O::arithmetic},
    {"neg ?ftz s16|s32|s64|" KB_F, O::arithmetic},
    {"copysign f32|f64", O::copy_sign},
    {"setp eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan ?and|or|xor ?ftz "
     "b16|b32|b64|" KB_I "|f32|f64|f16|bf16",
     O::compare},
    {"set eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan ?ftz u32|s32|f32 "
     "b16|b32|b64|" KB_I "|f32|f64",
     O::compare},
    {"selp " KB_B "|" KB_I "|f32|f64", O::select},
    {"and pred|" KB_B, O::logic},
    {"or pred|" KB_B, O::logic},
    {"xor pred|" KB_B, O::logic},
    {"not pred|" KB_B, O::logic},
    {"cnot " KB_B, O::logic},
    {"shl " KB_B, O::shift},
    {"shr " KB_B "|" KB_I, O::shift},
    {"shf l|r clamp|wrap b32", O::funnel},
    {"lop3 b32", O::lop3},
    {"prmt b32 ?f4e|b4e|rc8|ecl|ecr|rc16", O::permute},
    {"bfe u32|u64|s32|s64", O::bit_field},
    {"bfi b32|b64", O::bit_field},
    {"popc b32|b64", O::count_bits},
    {"clz b32|b64", O::count_bits},
    {"brev b32|b64", O::count_bits},
    {"bfind ?shiftamt u32|u64|s32|s64", O::count_bits},
    {"ex2 approx ?ftz f32|f16|f16x2|bf16|bf16x2", O::function},
    {"lg2 approx ?ftz f32", O::function},
    {"rcp approx|rn ?ftz f32|f64", O::function},
    {"rsqrt approx ?ftz f32|f64", O::function},
    {"sqrt approx|rn ?ftz f32|f64", O::function},
    {"sin approx ?ftz f32", O::function},
    {"cos approx ?ftz f32", O::function},
    {"tanh approx f32|f16|f16x2|bf16|bf16x2", O::function},
    {"cvt ?rn|rz|rm|rp|rna|rni|rzi|rmi|rpi ?ftz ?sat|satfinite ?relu f16x2|bf16x2|e4m3x2|e5m2x2 "
     "f32",
     O::convert_pair},
    {"cvt rn ?satfinite ?relu e4m3x2|e5m2x2 f16x2", O::convert_pair},
    {"cvt rn ?relu f16x2 e4m3x2|e5m2x2", O::convert_pair},
    {"cvt rna|rn|rz ?satfinite ?relu tf32 f32", O::convert},
    {"cvt ?rn|rz|rm|rp|rni|rzi|rmi|rpi ?ftz ?sat ?relu u8|s8|f16|bf16|f32|f64|" KB_I
     " u8|s8|f16|bf16|f32|f64|" KB_I,
     O::convert},
    {"atom ?relaxed|acquire|release|acq_rel " KB_SCOPE " " KB_SPACE
     " and|or|xor|exch|cas|add|inc|dec|min|max ?noftz " KB_B "|" KB_I "|" KB_F,
     O::atomic},
    {"atom ?relaxed|acquire|release|acq_rel " KB_SCOPE " " KB_SPACE
     " add ?noftz v2|v4 f32|f16x2|bf16x2",
     O::atomic},
    {"red ?relaxed|release ?async " KB_SCOPE " " KB_SPACE
     " and|or|xor|add|inc|dec|min|max ?noftz " KB_B "|" KB_I "|" KB_F,
     O::reduce},
    {"red ?relaxed|release " KB_SCOPE " " KB_SPACE " add ?noftz v2|v4 f32|f16x2|bf16x2", O::reduce},
    {"shfl sync idx|up|down|bfly b32", O::shuffle},
    {"vote sync all|any|uni pred", O::vote},
    {"vote sync ballot b32", O::vote},
    {"match any|all sync b32|b64", O::match},
    {"redux sync add|min|max|and|or|xor b32|u32|s32", O::redux},
    {"activemask b32", O::active_mask},
    {"elect sync", O::elect},
    {"bar ?cta sync|red ?popc|and|or ?u32|pred", O::block_barrier},
    {"barrier ?cta sync|red ?aligned ?popc|and|or ?u32|pred", O::block_barrier},
    {"bar ?cta arrive", O::arrive},
    {"barrier ?cta arrive ?aligned", O::arrive},
    {"bar warp sync", O::warp_barrier},
    {"membar cta|gl|sys", O::fence},
    {"fence ?sc|acq_rel|acquire|release cta|gpu|sys|cluster", O::fence},
    {"fence proxy async|alias|async::global|async::generic ?global|shared::cta|shared", O::none},
    {"fence mbarrier_init release cluster", O::none},
    {"griddepcontrol wait|launch_dependents", O::none},
    {"createpolicy fractional|range ?global L2::evict_last|L2::evict_normal|L2::evict_first|"
     "L2::evict_unchanged ?L2::evict_unchanged|L2::evict_first b64",
     O::none},
    {"setmaxnreg inc|dec sync aligned u32", O::none},
    {"cp async ca|cg shared|shared::cta global ?L2::cache_hint ?L2::64B|L2::128B|L2::256B",
     O::copy_async},
    {"cp async commit_group", O::copy_commit},
    {"cp async wait_group", O::copy_wait},
    {"cp async wait_all", O::copy_wait},
    {"cp async mbarrier arrive ?noinc ?shared|shared::cta b64", O::barrier_of_copies},
    {"ldmatrix sync aligned m8n8 x1|x2|x4 ?trans ?shared|shared::cta b16", O::load_matrix},
    {"stmatrix sync aligned m8n8 x1|x2|x4 ?trans ?shared|shared::cta b16", O::store_matrix},
    {"mma sync aligned m16n8k8|m16n8k16|m16n8k4|m16n8k32|m8n8k16 row col ?satfinite "
     "f16|f32|s32 f16|bf16|tf32|s8|u8|e4m3|e5m2 f16|bf16|tf32|s8|u8|e4m3|e5m2 f16|f32|s32",
     O::mma},
    {"mbarrier init ?shared|shared::cta b64", O::barrier_init},
    {"mbarrier inval ?shared|shared::cta b64", O::none},
    {"mbarrier arrive ?expect_tx ?release ?cta ?shared|shared::cta b64", O::barrier_arrive},
    {"mbarrier test_wait|try_wait ?parity ?acquire ?cta ?shared|shared::cta b64", O::barrier_wait},
    {"bra ?uni", O::branch},
    {"nanosleep u32", O::sleep},
    {"trap", O::trap},
    {"brkpt", O::none},
};

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == text.npos) return out;
    text.remove_prefix(end + 1);
  }
}

// Fits words[word…] into slots[slot…].
bool fits(const std::vector<std::string_view>& slots, std::size_t slot,
          const std::vector<std::string_view>& words, std::vector<std::string>& out) {
  const auto is_used = [](const std::string& taken) { return !taken.empty(); };
  const auto word = 1 + static_cast<std::size_t>(std::count_if(out.begin(), out.end(), is_used));
  if (slot == slots.size()) return word == words.size();
  std::string_view alternatives = slots[slot];
  const bool is_optional = alternatives.substr(0, 1) == "?";
  if (is_optional) alternatives.remove_prefix(1);
  const auto known = parts(alternatives, '|');
  if (word < words.size() && std::find(known.begin(), known.end(), words[word]) != known.end()) {
    out.emplace_back(words[word]);
    if (fits(slots, slot + 1, words, out)) return true;
    out.pop_back();
  }
  if (!is_optional) return false;
  out.emplace_back();
  if (fits(slots, slot + 1, words, out)) return true;
  out.pop_back();
  return false;
}

}  // namespace

const std::vector<PtxForm>& ptx_forms() { return forms; }

bool match_ptx(std::string_view opcode, std::size_t& form, std::vector<std::string>& words) {
  const auto given = parts(opcode, '.');
  for (std::size_t i = 0; i < forms.size(); ++i) {
    auto slots = parts(forms[i].grammar, ' ');
    if (slots[0] != given[0]) continue;
    slots.erase(slots.begin());
    words.clear();
    if (!fits(slots, 0, given, words)) continue;
    form = i;
    return true;
  }
  return false;
}

}  // namespace kbench
