// References and candidates in Python, where this library is loaded by an interpreter
// (src/reference/python/kbench_host.py): that of the environment which LibTorch is from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problem/host_protocol.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/script/program.hpp"
#include "reference/torch/serving/python_object.hpp"

namespace kbench {

// Says that this process is an interpreter, which holds its lock; `glue` is the module kbench_glue.
void enter_python(PyObject* glue);
bool is_python();

// Imports those parts of torch that the reference's forks would each import, which takes seconds.
void import_for_forks(const ReferenceRequest& request);

// Runs the reference's text and gives back its `run`. Meant for a fork: what the text does to the
// interpreter stays. Throws RaisedError.
std::unique_ptr<ReferenceFunction> load_reference_in_python(const ReferenceRequest& request,
                                                            const ReferenceLoadOptions& options);

// Imports a candidate's module and gives back its function. Likewise.
std::unique_ptr<ReferenceFunction> load_candidate_in_python(const HostRequest& request);

// In the worker, before all else: what it has of a GPU, and where it may compile.
void enter_worker_in_python(const HostRequest& request);

// Tells a candidate whose kernels are emulated, before each call, what their order follows from and
// the parameters that it may not write to.
void begin_emulated_call_in_python(std::uint64_t seed, const std::vector<std::string>& read_only);

// Folders that modules are imported from.
std::vector<std::string> python_folders();
// What compilers of Python's packages need beside the system's programs.
std::vector<std::string> python_programs();

}  // namespace kbench
