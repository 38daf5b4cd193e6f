// Requests of the judge to a host (kbench-torch --host): to fork a worker for a candidate that runs
// in Python, or for a reference that is timed. One message goes each way over base/channel.hpp; the
// worker's descriptors travel beside it, those of worker_protocol.hpp in their order and its output
// as the last; or a channel alone, by which a process in the worker's box forks several
// (sandbox/forks.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// The GPU that the tensors of a worker lie on: exec/candidate_process.hpp has it as GpuPlan.
struct HostGpu {
  std::string torch_device;              // "" for no GPU
  std::string driver, cupti;             // libraries
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> devices, readable;
};

struct HostRequest {
  std::string folder;                   // folder of the sources
  std::string file;                     // a Python module in the folder, or an extension module
                                        // (.so); with LibTorch the text of a reference
  std::string function;                 // its name in the module
  std::string prepare;                  // function that is called once before; "": none
  std::vector<std::string> parameters;  // names of what it is called with, in order
  std::vector<std::string> scalars;     // dtype of each that is a number, "" for a tensor
  std::vector<std::string> outputs;     // names of the outputs, for a dict that it returns
  std::string directory;                // the worker's own folder
  std::uint64_t memory_bytes = 0;       // limit beyond what Python and LibTorch take; 0: no limit
  std::uint64_t file_bytes = 0;         // limit of a file that it writes
  std::uint64_t processes = 0;          // limit, threads included
  int threads = 1;
  std::vector<int> cores;         // cores that it may run on; none: all
  double emulated_seconds = 0;    // limit of a launch where kernels are emulated; 0: they run
  std::string isolation = "C";    // level: "A", "B" or "C"
  bool starts_compilers = false;  // allowed until the first call is over
  std::string compiler;           // C++ compiler of torch.compile; "": it runs as it is
  HostGpu gpu;
};

struct HostReply {
  pid_t pid = 0;        // process of the worker, a child of the judge as the next two
  pid_t init = -1;      // first process of its namespace at level A
  pid_t maker = -1;     // process that made that one at level A; it has ended
  std::string message;  // failure, or ""; the first reply is sent when the host is ready
};

std::string encode(const HostRequest& request);
std::string encode(const HostReply& reply);
// Both throw std::runtime_error when the text is not what the other side's encode() writes.
HostRequest decode_host_request(std::string_view text);
HostReply decode_host_reply(std::string_view text);

}  // namespace kbench
