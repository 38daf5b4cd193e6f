// A compiled reference. The one door between kbench-torch's own code and LibTorch's compiler.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/reference_protocol.hpp"

// NOLINTNEXTLINE: LibTorch's own namespaces, declared so that its headers stay out of this one
namespace torch::jit {
struct Function;
}

namespace kbench {

struct CompileError {
  std::string construct;  // in the user's terms: "nonzero(as_tuple=True)"
  std::string detail;     // LibTorch's first sentence, "" where it said nothing
  int line = 0;           // of the reference's text, from 1; 0 unknown

  // "<construct> is not supported by LibTorch's compiler: <detail>"
  std::string message() const;
};

class Program {
 public:
  // Compiles `run` for these arguments.
  static std::variant<Program, CompileError> compile(std::string_view reference,
                                                     const std::vector<ReferenceArgument>& inputs);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  // Takes the arguments in order: tensors, ints, floats and bools.
  torch::jit::Function& entry() const;

  // A constant at module level whose tensors or lists were written to since they were made, by
  // whatever name. The next call would not find it as this one did.
  std::optional<CompileError> changed_constant() const;

 private:
  struct State;
  explicit Program(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kbench
