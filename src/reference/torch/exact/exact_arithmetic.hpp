// Arithmetic of the double-precision answer: docs/references.md says what is mapped.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>

#include <limits>
#include <optional>
#include <vector>

#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/exact/choice_recorder.hpp"
#include "reference/torch/exact/operator_watch.hpp"
#include "reference/torch/exact/rounding_work.hpp"
#include "reference/torch/exact/value_flow.hpp"

namespace kbench {

// Tells whether a type becomes float64 or complex128: float16, bfloat16, float32, the float8 kinds
// and their complex kin. The packed float4 does not: it is stored data.
bool is_mapped(c10::ScalarType type);
c10::ScalarType mapped(c10::ScalarType type);  // any other type is itself

// Scope in which this thread's references calculate in double precision: dtypes that operators are
// asked for and constants of the compiled text are mapped, results of narrower types are widened,
// random numbers are drawn in float32, as natively, and then widened. The default dtype is float64.
// Integers, indices and masks stay as they are.
class ExactArithmetic : public OperatorWatch {
 public:
  // Shows `recorder`, if there is one, every operator. `rounds_float8`: a conversion to a float8 by
  // name gives that dtype's numbers, though in double. References are loaded under the same.
  explicit ExactArithmetic(ChoiceRecorder* recorder = nullptr, bool rounds_float8 = false);
  // Shows these every operator, too.
  void show(RoundingWork& work, PickUse& picks) {
    work_ = &work;
    picks_ = &picks;
  }
  void show(ValueFlow& flow) { flow_ = &flow; }
  // Sets the native views of x.view(dtype), from the `first` one on; and how numbers read out of
  // stored bytes are moved, as floating inputs are.
  void read_bits(const BitViews* views, std::size_t first, const ExactInputs& how) {
    views_ = views;
    next_view_ = first;
    how_ = how;
  }
  ~ExactArithmetic() override;
  ExactArithmetic(const ExactArithmetic&) = delete;
  ExactArithmetic& operator=(const ExactArithmetic&) = delete;

  static bool is_on();
  static bool rounds_float8();  // asks the live one
  // Tells whether an operator was refused because it reads a float's bits.
  bool refused_bits() const { return refused_bits_; }
  // Tells whether something was written to a number read so: natively that writes to its source.
  bool wrote_to_copies() const;
  // Returns the unit roundoff of the finest numbers read out of bytes; infinite: none were.
  double finest_read() const { return finest_read_; }
  // Tells whether an operator rounded a float to whole numbers or sorted it into bins.
  bool makes_codes() const { return makes_codes_; }
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  void run_in_flow(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void run_recorded(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void calculate(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void reinterpret(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  std::optional<BitView> meant(c10::ScalarType self, c10::ScalarType asked);
  at::Tensor stored(const at::Tensor& self, const BitView& view);
  at::Tensor read(const at::Tensor& bits, c10::ScalarType dtype);
  void watch_writes(const at::Tensor& copy);

  caffe2::TypeMeta default_before_;
  bool refused_bits_ = false;
  bool makes_codes_ = false;
  ChoiceRecorder* recorder_;
  RoundingWork* work_ = nullptr;
  PickUse* picks_ = nullptr;
  ValueFlow* flow_ = nullptr;
  const BitViews* views_ = nullptr;
  std::size_t next_view_ = 0, reads_ = 0;
  ExactInputs how_;
  double finest_read_ = std::numeric_limits<double>::infinity();
  struct Version {
    c10::VariableVersion counter;
    std::uint32_t then = 0;
  };
  std::vector<Version> copies_;  // tensors that natively share their source's memory
  std::optional<WatchOperators> watching_;
};

}  // namespace kbench
