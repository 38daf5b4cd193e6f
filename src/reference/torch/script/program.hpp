// References that are ready to be called, and LibTorch's compiler, which makes them.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/reference_protocol.hpp"

namespace kbench {

// Exception of a reference, in its author's terms.
struct RaisedError : std::runtime_error {
  RaisedError(const std::string& what, int at) : std::runtime_error(what), line(at) {}
  int line = 0;  // line of the reference's text, from 1; 0 unknown
};

// Purpose that a reference is loaded for.
struct ReferenceLoadOptions {
  Arithmetic arithmetic = Arithmetic::native;
  bool differentiable = false;  // torch.no_grad and its kin do nothing
  // Python keeps the answers of torch.finfo in a native run; an exact one hears them again.
  bool records_limits = false;
};

// Reference ready to be called, in LibTorch's compiler or a Python interpreter.
class ReferenceFunction {
 public:
  virtual ~ReferenceFunction() = default;

  // Calls run() with arguments in the Definition's order (tensors, ints, floats, bools): a tensor
  // or a number, or a tuple, list or dict of them. Throws what the reference raises.
  virtual c10::IValue call(const std::vector<c10::IValue>& arguments) = 0;

  // Calls the candidate's function for that, with tensors that have no data.
  virtual void prepare(const std::vector<c10::IValue>& /*arguments*/) {}

  // Runs work that starts threads of LibTorch's own: an interpreter must let go of its lock.
  virtual void run_outside(const std::function<void()>& work) { work(); }
};

struct CompileError {
  std::string construct;  // the user's terms: "a class", "x = torch.unique(y)"
  std::string detail;     // LibTorch's first sentence, "" where it said nothing
  int line = 0;           // line of the reference's text, from 1; 0 unknown

  // Returns "<construct> is not supported by LibTorch's compiler: <detail>".
  std::string message() const;
};

// Compiles `function` of the text for these arguments.
std::variant<std::unique_ptr<ReferenceFunction>, CompileError> compile_reference(
    std::string_view reference, const std::vector<ReferenceArgument>& inputs,
    std::string_view function = "run");

// Name under which the reference's text is known to LibTorch; its messages say 'File "reference",
// line 3'.
inline constexpr const char* reference_file = "reference";

// Makes it of the compiler's exception.
CompileError compile_error(std::string_view what);

// Makes it of a running reference's exception: outcome failed or out_of_memory, message and line.
ReferenceReply run_error(std::string_view what);

}  // namespace kbench
