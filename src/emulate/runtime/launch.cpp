#include "emulate/runtime/launch.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>

#include "emulate/runtime/order.hpp"
#include "emulate/runtime/schedule.hpp"
#include "emulate/runtime/shared_memory.hpp"

namespace kbench_emulation {
namespace {

// Numbers of CUDA's errors.
constexpr int success = 0, invalid_value = 1, invalid_configuration = 9,
              cooperative_launch_too_large = 720;
constexpr std::uint64_t threads_worth_a_core = 8192;

std::atomic<std::uint32_t> runs{1};
std::uint64_t call_seed = 0, launches = 0;
std::mutex one_launch;

struct Permissions {
  std::mutex mutex;
  std::unordered_map<const void*, std::size_t> of_kernel;
  std::size_t most = 0;
};
Permissions& permissions() {
  static Permissions& all = *new Permissions;
  return all;
}

// Returns 0 where none was set. A kernel of unknown address gets the limit of any kernel.
std::size_t shared_limit_of(const Kernel& kernel) {
  Permissions& all = permissions();
  const std::lock_guard lock(all.mutex);
  if (kernel.address == nullptr) return all.most;
  const auto found = all.of_kernel.find(kernel.address);
  return found == all.of_kernel.end() ? 0 : found->second;
}

bool is_dimension(unsigned n, unsigned most) { return n >= 1 && n <= most; }

// Turns "(kernel<T, 4>)" into "kernel<T, 4>".
std::string name_of(const Kernel& kernel) {
  std::string name = kernel.name;
  if (name.size() > 2 && name.front() == '(') name = name.substr(1, name.size() - 2);
  return name;
}

// Notes why: a program may not look at the error, or say no more than its name.
int refuse(int error, const Kernel& kernel, std::uint64_t count, const char* what) {
  note("REFUSED_LAUNCH", {kernel.place, nullptr}, "launch of %s was refused: %llu %s",
       name_of(kernel).c_str(), static_cast<unsigned long long>(count), what);
  return error;
}

int error_of(const Config& config, const Kernel& kernel) {
  const dim3 g = config.grid, b = config.block;
  const std::uint64_t threads = std::uint64_t{b.x} * b.y * b.z;
  const bool is_possible = is_dimension(g.x, 0x7fffffff) && is_dimension(g.y, 65535) &&
                           is_dimension(g.z, 65535) && is_dimension(b.x, 1024) &&
                           is_dimension(b.y, 1024) && is_dimension(b.z, 64) &&
                           threads <= most_threads;
  if (!is_possible)
    return refuse(invalid_configuration, kernel, threads,
                  "threads a block, or a grid or block of impossible dimensions");
  const std::size_t limit = shared_limit_of(kernel);
  if (config.shared > std::max(limit, shared_bytes_unasked))
    return refuse(invalid_value, kernel, config.shared,
                  limit == 0 ? "bytes of dynamic shared memory, 48 KiB without cudaFuncSetAttribute"
                             : "bytes of dynamic shared memory, more than were asked for");
  const std::uint64_t blocks = std::uint64_t{g.x} * g.y * g.z;
  const bool fits = blocks <= resident_blocks(static_cast<unsigned>(threads), config.shared);
  if (!config.cooperative || fits) return success;
  return refuse(cooperative_launch_too_large, kernel, blocks,
                "blocks at once, more than a device holds");
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Blocks in an order that follows from the seed: begin + i * step, round about.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t blocks, std::uint64_t seed) : blocks_(blocks) {
    if (seed == 0) return;
    begin_ = mixed(seed + 1) % blocks;
    step_ = mixed(seed + 2) % blocks | 1;
    while (std::gcd(step_, blocks) != 1) ++step_;
  }
  // Takes each of those left once.
  bool take(std::uint64_t& block) {
    const std::uint64_t i = taken_++;
    if (i >= blocks_) return false;
    block =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(i) * step_ + begin_) % blocks_);
    return true;
  }

 private:
  std::uint64_t blocks_, begin_ = 0, step_ = 1;
  std::atomic<std::uint64_t> taken_{0};
};

// Tells whether a launch still moves: a block has ended, or runs for long without waiting.
class Watch {
 public:
  explicit Watch(std::size_t rows) : entered_(rows) {}

  void enter(std::size_t row) { entered_[row] = ticks(); }
  void leave(std::size_t row, bool has_moved) {
    if (has_moved || is_long(entered_[row])) moved_ = ticks();
    entered_[row] = 0;
  }
  bool is_stuck() const {
    const auto runs_long = [](const auto& entered) { return entered != 0 && is_long(entered); };
    return ticks() - moved_ > patience && std::none_of(entered_.begin(), entered_.end(), runs_long);
  }

 private:
  static constexpr std::int64_t patience = 3'000'000'000, moment = 100'000'000;  // nanoseconds
  static std::int64_t ticks() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
  static bool is_long(std::int64_t since) { return ticks() - since > moment; }

  std::vector<std::atomic<std::int64_t>> entered_;  // time when each row began to run a block, or 0
  std::atomic<std::int64_t> moved_{ticks()};
};

// Blocks of a worker: one that waits for others goes to the end of the row, and the next begins.
class Row {
 public:
  Row(const Launch& launch, BlockOrder& order, Watch& watch, std::size_t number, std::uint64_t most)
      : launch_(launch),
        order_(order),
        watch_(watch),
        number_(number),
        worker_(launch),
        most_(most) {}

  void run() {
    while (begin_next() || !waiting_.empty()) {
      std::unique_ptr<Block> block = take();
      watch_.enter(number_);
      const bool has_ended = go_on(*block);
      watch_.leave(number_, has_ended);
      if (has_ended) {
        drop_copies(*block);
        spare_.push_back(std::move(block));
        stalled_ = 0;
      } else {
        waiting_.push_back(std::move(block));
        ++stalled_;
        look_around();
      }
    }
    for (auto& block : spare_) give_back_block(std::move(block));
  }

 private:
  // Begins one where none waits, or all that do have stalled, and tells whether it did.
  bool begin_next() {
    std::uint64_t number = 0;
    if (!waiting_.empty() && (stalled_ < waiting_.size() || waiting_.size() >= most_)) return false;
    if (!order_.take(number)) return false;
    if (spare_.empty()) spare_.push_back(take_block());
    begin_block(*spare_.back(), launch_, number);
    waiting_.push_front(std::move(spare_.back()));
    spare_.pop_back();
    stalled_ = 0;
    return true;
  }

  // Takes the one that has waited longest; in calls but the first, any of them.
  std::unique_ptr<Block> take() {
    if (launch_.seed != 0)
      std::swap(waiting_.front(), waiting_[mixed(launch_.seed + ++taken_) % waiting_.size()]);
    std::unique_ptr<Block> block = std::move(waiting_.front());
    waiting_.pop_front();
    return block;
  }

  // Continues a block, one that waits in vain only if all do, and tells whether it has ended.
  bool go_on(Block& block) {
    if (waits_in_vain(block) && vain_++ <= waiting_.size()) return false;
    vain_ = 0;
    return worker_.go_on(block) == Outcome::finished;
  }

  void look_around() {
    const auto waits = [](const std::unique_ptr<Block>& b) { return b->at_grid == b->live; };
    if (waiting_.size() == launch_.blocks && std::all_of(waiting_.begin(), waiting_.end(), waits)) {
      worker_.now_here.launch_begin = make_record(new_run(), 0, 0);  // all before is in order
      for (const auto& block : waiting_) release_grid(*block);
      watch_.leave(number_, true);
      return;
    }
    if (stalled_ <= waiting_.size() || !watch_.is_stuck()) return;
    Block& block = *waiting_.front();
    worker_.now_here.block = &block;
    now = &worker_.now_here;
    now->thread = &block.threads[block.last];
    const Poll* const poll = now->thread->poll;
    fault("DEADLOCK", poll != nullptr ? poll->touch.where : Where{launch_.kernel.place, nullptr},
          "threads wait for memory that nobody changes, or for blocks that a device has not begun, "
          "in the launch of line %d",
          launch_.kernel.place.line);
  }

  const Launch& launch_;
  BlockOrder& order_;
  Watch& watch_;
  std::size_t number_;
  Worker worker_;
  std::uint64_t most_;
  std::deque<std::unique_ptr<Block>> waiting_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::size_t stalled_ = 0, vain_ = 0, taken_ = 0;
};

void run_blocks(const Launch& launch) {
  const std::uint64_t most = resident_blocks(launch.threads, launch.config.shared);
  const std::uint64_t worth = launch.blocks * launch.threads / threads_worth_a_core;
  const std::uint64_t rows =
      launch.config.cooperative
          ? 1
          : std::clamp<std::uint64_t>(std::min(worth, launch.blocks), 1, core_count());
  BlockOrder order(launch.blocks, launch.seed);
  Watch watch(rows);
  const auto work = [&](std::size_t number) {
    Row(launch, order, watch, number, std::max<std::uint64_t>(most / rows, 1)).run();
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < rows; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
}

std::vector<uint3> indices_of(dim3 block) {
  std::vector<uint3> indices;
  for (unsigned z = 0; z < block.z; ++z)
    for (unsigned y = 0; y < block.y; ++y)
      for (unsigned x = 0; x < block.x; ++x) indices.push_back({x, y, z});
  return indices;
}

}  // namespace

std::uint32_t new_run() { return runs++; }

unsigned core_count() {
  if (const char* text = std::getenv("KBENCH_EMULATION_THREADS"))
    return std::max(1u, static_cast<unsigned>(std::strtoul(text, nullptr, 10)));
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
}

std::uint64_t resident_blocks(unsigned threads, std::size_t shared_bytes) {
  constexpr std::size_t all_shared = 228 << 10, reserved = 1 << 10;
  const std::size_t by_threads = 2048 / ((threads + 31) / 32 * 32);
  const std::size_t by_shared = all_shared / (shared_bytes + reserved);
  return std::min({by_threads, by_shared, std::size_t{32}}) * multiprocessors;
}

void allow_shared_memory(const void* kernel, std::size_t bytes) {
  Permissions& all = permissions();
  const std::lock_guard lock(all.mutex);
  const std::size_t granted = std::max(bytes, shared_bytes_unasked);
  all.of_kernel[kernel] = granted;
  all.most = std::max(all.most, granted);
}

void keep_bounds(long long threads, long long, long long, Place place) {
  if (now == nullptr || now->block->launch->threads <= threads) return;
  fault("LAUNCH_BOUNDS", {place, nullptr}, "a block of %u threads; __launch_bounds__ allows %lld",
        now->block->launch->threads, threads);
}

int run(const Config& config, const Kernel& kernel) {
  if (now != nullptr) not_emulated("a launch by a kernel", kernel.place);
  // Memory other than the launching thread's stack is not for every kernel to read.
  const auto* const stack = static_cast<const char*>(__builtin_frame_address(0));
  if (kernel.closure < stack || kernel.closure > stack + (1 << 20) || kernel.bytes > 1 << 16)
    not_emulated("a launch whose arguments lie elsewhere", kernel.place);
  if (const int error = error_of(config, kernel); error != success) return error;
  const std::lock_guard lock(one_launch);
  static const bool has_own_data = (add_own_data(), true);
  static_cast<void>(has_own_data);
  constexpr std::uint32_t most_runs = 0xf0000000;
  if (runs > most_runs) {
    clear_records();
    runs = 1;
  }
  forget_releases();
  const OpenTensors open;
  const std::string name = name_of(kernel);
  Kernel named = kernel;
  named.name = name.c_str();
  const dim3 g = config.grid, b = config.block;
  const std::uint64_t seed = call_seed == 0 ? 0 : mixed(call_seed + launches) | 1u << 31;
  ++launches;
  run_blocks({config, named, shared_limit_of(kernel),
              shared_fills[call_seed % std::size(shared_fills)], b.x * b.y * b.z,
              std::uint64_t{g.x} * g.y * g.z, runs, seed, indices_of(b)});
  return success;
}

}  // namespace kbench_emulation

void kbench_emulation_call(const kbench_emulation_region* regions, size_t count, uint64_t seed) {
  using namespace kbench_emulation;
  static std::vector<const void*>& before = *new std::vector<const void*>;
  const std::lock_guard lock(one_launch);
  shut_tensors(false);
  if (seed == UINT64_MAX) return;  // the call is over
  call_seed = seed;
  launches = 0;
  const auto is_here = [&](const void* begin) {
    return std::any_of(regions, regions + count, [&](const auto& r) { return r.begin == begin; });
  };
  for (const void* begin : before)
    if (!is_here(begin)) remove_region(begin);
  before.clear();
  for (size_t i = 0; i < count; ++i) {
    const kbench_emulation_region& r = regions[i];
    if (r.bytes == 0) continue;
    Region* const region = add_region(r.begin, r.bytes, r.name,
                                      r.writable & 1 ? Contents::unwritten : Contents::constant);
    region->is_of_device = true;
    if (r.writable & 2) region->access = r.writable & 1 ? PROT_READ | PROT_WRITE : PROT_READ;
    before.push_back(r.begin);
  }
  shut_tensors(true);
}
