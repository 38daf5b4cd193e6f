#include "emulate/runtime/order.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace kbench_emulation {
namespace {

constexpr std::size_t any_release = ~std::size_t{0};
constexpr std::size_t most_acquired = 256;  // limit; with more places all releases count as seen

// Moments up to which a thread knows others of its block: all of them, each warp, its own warp, and
// this one's lanes, where it waited for some alone.
struct View {
  unsigned me = 0;
  std::uint32_t block = 0, warp = 0;
  std::array<std::uint32_t, most_warps> warps{};
  std::array<std::uint32_t, warp_lanes> lanes{};
  bool operator==(const View&) const = default;
};

View view_of(const Block& block, unsigned me) {
  const Warp& warp = block.warps[me / warp_lanes];
  View view{me, block.known, warp.known, {}, {}};
  std::copy_n(warp.others, most_warps, view.warps.begin());
  if (!warp.lanes.empty()) view.lanes = warp.lanes[me % warp_lanes];
  return view;
}

// Several threads count as known if one of them is: where only some wait for each other, the
// record does not say enough, and nothing is claimed.
bool knows_several(const View& view, unsigned who, std::uint32_t moment) {
  const auto most = [](const auto& moments) {
    return *std::max_element(moments.begin(), moments.end());
  };
  const bool is_own_warp = who == several_of_warp + view.me / warp_lanes;
  if (is_own_warp && moment <= std::max(view.warp, most(view.lanes))) return true;
  return moment <= most(view.warps);
}

bool knows(const View& view, Record record) {
  const std::uint32_t moment = moment_of(record);
  const unsigned who = thread_of(record), warp = who / warp_lanes;
  if (moment <= view.block || who == view.me) return true;
  if (who >= most_threads) return knows_several(view, who, moment);
  if (warp != view.me / warp_lanes) return moment <= view.warps[warp];
  return moment <= std::max(view.warp, view.lanes[who % warp_lanes]);
}

// Releases at one place, in their order: each hands over what its thread knew, up to a moment.
struct Releases {
  struct Entry {
    std::size_t number;
    std::uint32_t moment;
    View view;
  };
  std::size_t count = 0;
  std::unordered_multimap<std::uint32_t, Entry> of_run;
};
struct Places {
  std::mutex mutex;
  std::atomic<bool> any{false};
  std::unordered_map<const void*, Releases> releases;
};
Places& places() {
  static Places& the_places = *new Places;
  return the_places;
}

bool is_released(const Block& block, Record record) {
  Places& all = places();
  if (!all.any) return false;
  if (block.knows_all_releases) return true;
  const std::lock_guard lock(all.mutex);
  for (const Acquired& acquired : block.acquired) {
    const auto found = all.releases.find(acquired.place);
    if (found == all.releases.end()) continue;
    const auto [begin, end] = found->second.of_run.equal_range(run_of(record));
    for (auto entry = begin; entry != end; ++entry)
      if (entry->second.number < acquired.releases && moment_of(record) <= entry->second.moment &&
          knows(entry->second.view, record))
        return true;
  }
  return false;
}

}  // namespace

bool is_ordered(const Now& n, const Region& region, Record record) {
  if (record < n.launch_begin) return true;
  const Block& block = *n.block;
  if (run_of(record) == block.run) return knows(view_of(block, n.thread->number), record);
  if (region.is_shared) return true;
  if (std::find(block.runs.begin(), block.runs.end(), run_of(record)) != block.runs.end())
    return true;
  return is_released(block, record);
}

void know_block(Block& block) {
  block.known = block.moment;
  tick(block);
}

void know_lanes(Block& block, unsigned number, std::uint32_t mask) {
  Warp& warp = block.warps[number];
  if ((mask & warp.live) == warp.live) {
    warp.known = block.moment;
    return tick(block);
  }
  if (warp.lanes.empty()) warp.lanes.resize(warp_lanes);
  std::array<std::uint32_t, warp_lanes> joined{};
  for (unsigned i = 0; i < warp_lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    for (unsigned k = 0; k < warp_lanes; ++k) joined[k] = std::max(joined[k], warp.lanes[i][k]);
  }
  for (unsigned i = 0; i < warp_lanes; ++i)
    if (mask >> i & 1) joined[i] = block.moment;
  for (unsigned i = 0; i < warp_lanes; ++i)
    if (mask >> i & 1) warp.lanes[i] = joined;
  tick(block);
}

void add_own_knowledge(const Block& block, unsigned number, Knowledge& to, std::uint32_t up_to) {
  const Warp& warp = block.warps[number];
  const auto add = [up_to](std::uint32_t& known, std::uint32_t moment) {
    known = std::max(known, std::min(moment, up_to));
  };
  for (unsigned i = 0; i < most_warps; ++i)
    add(to.of_warp[i], std::max(warp.others[i], block.known));
  add(to.of_warp[number], block.moment);
}

void learn(Block& block, unsigned number, const Knowledge& from) {
  Warp& warp = block.warps[number];
  for (unsigned i = 0; i < most_warps; ++i)
    warp.others[i] = std::max(warp.others[i], from.of_warp[i]);
  warp.known = std::max(warp.known, from.of_warp[number]);
}

void know_warps(Block& block, std::uint32_t warps, const Knowledge& brought) {
  Knowledge joined = brought;
  for (unsigned i = 0; i < most_warps; ++i)
    if (warps >> i & 1) add_own_knowledge(block, i, joined);
  for (unsigned i = 0; i < most_warps; ++i)
    if (warps >> i & 1) learn(block, i, joined);
  tick(block);
}

void leave_knowledge(Block& block, const void* place, std::uint32_t up_to) {
  add_own_knowledge(block, now->thread->number / warp_lanes, block.knowledge[place], up_to);
  tick(block);
}

void take_knowledge(Block& block, const void* place) {
  const auto found = block.knowledge.find(place);
  if (found != block.knowledge.end()) learn(block, now->thread->number / warp_lanes, found->second);
}

namespace {

void add_release(Releases& releases, std::uint32_t run, std::uint32_t moment, const View& view) {
  const auto [begin, end] = releases.of_run.equal_range(run);
  for (auto entry = begin; entry != end; ++entry)
    if (entry->second.moment == moment && entry->second.view == view) return;
  releases.of_run.emplace(run, Releases::Entry{releases.count++, moment, view});
}

// A block that ran out of moments has forgotten whom its threads knew: all before counts as known.
void release_to_others(const Block& block, const void* place, std::uint32_t up_to) {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  Releases& releases = all.releases[place];
  for (const std::uint32_t run : block.runs)
    if (run != block.run) add_release(releases, run, most_moments, {0, most_moments});
  add_release(releases, block.run, up_to,
              up_to <= block.known ? View{0, up_to} : view_of(block, now->thread->number));
  all.any = true;
}

}  // namespace

void release(Now& n, const void* place, bool is_release) {
  if (!is_release && !n.thread->has_fenced) return;
  Block& block = *n.block;
  const std::uint32_t up_to = is_release ? block.moment : block.fenced;
  release_to_others(block, place, up_to);
  leave_knowledge(block, place, up_to);
}

// A later access is of another moment. Loops that wait for memory need no moments told apart, and
// these would run out.
void note_fence(Now& n) {
  n.thread->has_fenced = true;
  n.block->fenced = n.block->moment;
  if (n.thread->futile == 0) tick(*n.block);
}

void acquire(Block& block, const void* place, bool is_later) {
  take_knowledge(block, place);
  Places& all = places();
  std::size_t releases = any_release;
  if (!is_later) {
    if (!all.any) return;
    const std::lock_guard lock(all.mutex);
    const auto found = all.releases.find(place);
    if (found == all.releases.end()) return;
    releases = found->second.count;
  }
  for (Acquired& acquired : block.acquired)
    if (acquired.place == place) {
      acquired.releases = std::max(acquired.releases, releases);
      return;
    }
  if (block.acquired.size() == most_acquired)
    block.knows_all_releases = true;
  else
    block.acquired.push_back({place, releases});
}

void forget_releases() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  all.releases.clear();
  all.any = false;
}

}  // namespace kbench_emulation
