// A reference ready to be called, whoever holds it: LibTorch's compiler or a Python interpreter.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem/reference_protocol.hpp"

namespace kbench {

// What a reference raised, in its author's terms.
struct RaisedError : std::runtime_error {
  RaisedError(const std::string& what, int at) : std::runtime_error(what), line(at) {}
  int line = 0;  // of the reference's text, from 1; 0 unknown
};

// What a reference is loaded for.
struct ReferenceLoadOptions {
  Arithmetic arithmetic = Arithmetic::native;
  bool differentiable = false;  // torch.no_grad and its kin do nothing
  // Natively, keeps what torch.finfo is asked for; an exact one hears it again. See dtype_limits.
  bool records_limits = false;
};

class ReferenceFunction {
 public:
  virtual ~ReferenceFunction() = default;

  // What run() returns for arguments in the Definition's order (tensors, ints, floats, bools): a
  // tensor or a number, or a tuple, list or dict of them. Throws what the reference raises.
  virtual c10::IValue call(const std::vector<c10::IValue>& arguments) = 0;

  // Runs work that starts threads of LibTorch's own: an interpreter must let go of its lock.
  virtual void run_outside(const std::function<void()>& work) { work(); }

  // Why the next call would not find the reference as the first one did; nothing where it would.
  virtual std::optional<RaisedError> spoiled() const { return std::nullopt; }
};

}  // namespace kbench
