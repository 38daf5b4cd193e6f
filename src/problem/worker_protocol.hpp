// Control block that the judge and kbench-worker share: page-aligned plain data in shared memory.
// The judge believes nothing in it beyond what it checks: a candidate shares the worker's address
// space and can write here whatever it likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/epochs.hpp"

namespace kbench::worker {

// Descriptors the worker is started with.
constexpr int control_fd = 3;
constexpr int inputs_fd = 4;  // sealed: only readable
constexpr int outputs_fd = 5;
constexpr int done_fd = 6;     // eventfd: the worker adds 1 for each answer
constexpr int scratch_fd = 7;  // the inputs that may be written to, laid out as all inputs are

constexpr int max_arguments = 64;
constexpr int max_parameters = 3 * max_arguments;  // inputs, outputs and axes
constexpr int max_rank = 8;
constexpr int max_samples = 256;  // samples of one turn, and repetitions of Google Benchmark
constexpr int max_allocations = 64;
constexpr int message_bytes = 4096;
constexpr int report_bytes = 1 << 18;         // max_samples repetitions fill half of it
constexpr std::uint64_t guard_bytes = 65536;  // inaccessible memory on both sides of every tensor

enum class ArgumentKind : std::uint32_t { tensor, integer, number, boolean };

// An argument or a result. A tensor lies at `offset` of its memory, which is mapped from the page
// below to the page above; a result lies nowhere: its data are in the output's memory.
struct Argument {
  ArgumentKind kind;
  std::uint8_t dlpack_code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int32_t rank;
  std::int64_t shape[max_rank];
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint32_t is_scratch;  // an input that may be written to: for each command the judge fills it
  std::int64_t integer;
  double number;
  std::byte packed[8];  // a scalar as its dtype has it, `bits` of it
  char name[48];        // name in messages of CUDA's emulation; a longer one is cut
};

// Parameter of a kernel by itself: an argument, or the length of an axis.
struct Parameter {
  std::int32_t argument;  // inputs are counted before outputs; -1: an axis
  std::int64_t length;
};

// Launch of a kernel by itself: problem/launch.hpp.
struct KernelLaunch {
  std::uint32_t grid[3];   // blocks; with a 0 nothing is launched
  std::uint32_t block[3];  // threads
  std::uint32_t shared_bytes;
  std::int32_t parameter_count;
  Parameter parameters[max_parameters];
};

enum class Command : std::uint32_t {
  none,
  load,     // loads in an audited worker, which answers `null` before; any other loads at once
  call,     // calls once, to be judged
  time,     // epochs, each a turn, until the judge ends them; timed by the worker
  audit,    // calls once, timed by the judge and judged
  null,     // audit without a candidate: the cost of the hand-over
  profile,  // calls once, for a profiler to see
  end,      // ends the process, in order: a tool that watches it has seen all
  prepare,  // calls Control::prepare once, between loading and all calls; its tensors have no data
};

// A word by which judge and worker hand a turn to and fro, on a cache line of its own.
struct alignas(64) Word {
  std::uint64_t value;
};

enum class Turn : std::uint8_t {
  ping,              // does nothing: both are awake when this has been quick
  copy,              // copies the inputs to memory other than the judge's, if they lie there
  call,              // the last one, unless there is something to fetch
  epochs,            // runs Control::epochs
  google_benchmark,  // runs Control::repetitions; kbench-worker-google-benchmark alone has it
  fetch,             // the last one: fetches outputs that lie in other memory than the judge's
  end,               // the last one: no more epochs
};
constexpr std::uint64_t turn_bits = 7;
constexpr Turn turn_of(std::uint64_t go) {
  const std::uint64_t turn = go & turn_bits;
  return turn <= static_cast<std::uint64_t>(Turn::end) ? static_cast<Turn>(turn) : Turn::end;
}
constexpr std::uint64_t number_of(Turn turn, std::uint64_t random) {
  return (random & ~turn_bits) | static_cast<std::uint64_t>(turn);
}

// Progress of the worker: what it was doing when it died, if it died.
enum class Phase : std::uint32_t {
  starting,
  loading,
  waiting,
  calling,
  timing,
  collecting,
  preparing,
};

enum class Answer : std::uint32_t {
  none,
  done,
  load_failed,    // dlopen or the entry symbol; message
  call_failed,    // the call returned an error; message
  wrong_results,  // value-returning: not as many as outputs, or none that can be read; message
  device_failed,  // device_error says how; message
  wrote_input,    // input changed on a device, where memory is not protected; message
};

// Memory that a value-returning candidate was given, for the message about a fault beside it.
struct Allocation {
  std::uint64_t address;
  std::uint64_t bytes;
};

// The size of a worker's own folder where that is in memory (isolation level A).
constexpr std::uint64_t scratch_bytes = std::uint64_t{64} << 20;

struct Control {
  // ---- set by the judge before the start ----
  char library[4096];
  char symbol[512];
  char prepare[512];  // symbol that Command::prepare calls; "": there is none
  std::int32_t input_count;
  std::int32_t output_count;
  std::uint32_t destination_passing;
  std::uint32_t is_held;  // levels A and B: the worker takes its filter of system calls
  std::uint32_t is_audited;
  std::uint32_t is_sanitized;  // faults are the sanitizer's to report
  std::uint32_t is_watched;    // NVIDIA's tool watches: nothing lies around tensors on the device
  std::uint32_t copies;        // copies of all tensors on a device; a timed call takes the next
  std::uint32_t spins;         // the worker sleeps before its first turn alone; else before each
  std::int32_t rank;           // rank in a sharded call, from 0
  std::int32_t rank_count;     // ranks of the call; 0: it is not sharded, and there is no hub
  std::uint32_t ranks_meet;    // ranks run at once, so that they can meet: rank_protocol.hpp
  char rank_axis[64];          // axis that is cut, for the candidate
  std::uint32_t is_kernel;     // kernel by itself; on a GPU `library` is what base/cubins.hpp packs
  KernelLaunch launch;
  Argument inputs[max_arguments];
  Argument outputs[max_arguments];
  // ---- set by the judge for each command ----
  // A futex that the judge adds 1 to when there is something new: ringing it waits for nobody,
  // whatever the candidate has done to it.
  std::uint32_t bell;
  std::uint64_t commanded;  // number of the command; 1 is that of the first answer, that to loading
  Command command;
  // Filling of the memory that a value-returning candidate is given: a pattern for elements of each
  // output's type (problem/tensor_view.hpp), and a byte for what lies around them.
  std::uint64_t patterns[max_arguments];
  std::byte margin;
  std::uint64_t emulation_seed;  // seed of orders, for a solution in CUDA on the processor
  // Turns of an audited call and of epochs. The judge gives turns to an armed worker: it sets `go`
  // to a number that nobody can guess and that says which turn it is (turn_of), and the worker sets
  // `done` to the same when that is over.
  Epochs epochs;
  Repetitions repetitions;
  Word go;
  Word armed;     // set by the worker to `commanded`
  Word done;      // set by the worker
  Word answered;  // set by the worker to `commanded`: what follows is true of that command
  // ---- set by the worker ----
  Phase phase;
  Answer answer;
  std::uint64_t calls;  // calls begun so far, all phases
  std::uint64_t fault_address;
  std::int32_t fault_signal;
  std::int32_t fault_code;          // si_code
  Phase fault_phase;                // phase of the worker then; the fault may be a thread's
  std::uint32_t out_of_memory;      // an allocation by operator new failed
  std::int32_t device_error;        // CUresult
  std::uint32_t sample_count;       // samples of the last epochs; fewer than asked: a call failed
  double samples_ns[max_samples];   // nanoseconds of all calls of a sample
  Argument results[max_arguments];  // values that a value-returning candidate returned
  Allocation allocations[max_allocations];
  char message[message_bytes];
  // Addresses of the tensors in the worker, to say which one a fault address belongs to.
  std::uint64_t input_addresses[max_arguments];
  std::uint64_t output_addresses[max_arguments];
  std::uint32_t report_size;  // bytes of Google Benchmark's report, JSON; 0: it found no room
  char report[report_bytes];
};

static_assert(std::is_trivially_copyable_v<Control>);

}  // namespace kbench::worker
