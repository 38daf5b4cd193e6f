// Program of ExecuTorch, a .pte file: the operators that it calls, and their tensors. Source:
// ExecuTorch, schema/program.fbs; the file is a FlatBuffer "ET12", weights may follow it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {

struct ProgramCall {
  std::string op;  // "aten::add.out"
  // Arguments, results at the end among them: a tensor, the first of a list, none given; nullopt
  // for a number and its like.
  std::vector<std::optional<TensorMeta>> arguments;
};

struct ExecuTorchProgram {
  std::vector<std::string> operators;  // operators that it has, each once
  std::vector<ProgramCall> calls;
  std::vector<std::string> delegates;  // backends that take parts of it: "XnnpackBackend"
};

// Reads a program; nullopt where the bytes are none: the error says at which byte.
std::optional<ExecuTorchProgram> read_program(std::string_view bytes, const std::string& path,
                                              Diagnostics& diagnostics);

// Returns the key of a call of an operator with `tensors` among its arguments, by their places;
// nullopt where one of these is no tensor, which `why` says.
std::optional<KernelKey> key_of(const ProgramCall& call, const std::vector<std::size_t>& tensors,
                                std::string& why);

}  // namespace kbench
