// The arithmetic of the double-precision answer: docs/references.md says what is mapped.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "torch/choice_recorder.hpp"
#include "torch/operator_watch.hpp"
#include "torch/pick_use.hpp"
#include "torch/rounding_work.hpp"
#include "torch/value_flow.hpp"

namespace kbench {

// float16, bfloat16, float32, the float8 kinds and their complex kin: what becomes float64 or
// complex128. The packed float4 is no such type: it is stored data.
bool is_mapped(c10::ScalarType type);
c10::ScalarType mapped(c10::ScalarType type);  // any other type is itself

// While one lives, this thread's references calculate in double precision: dtypes that operators
// are asked for and constants of the compiled text are mapped, results of narrower types are
// widened, random numbers are drawn in float32, as natively, and then widened. The default dtype
// is float64. Integers, indices and masks stay as they are.
class ExactArithmetic : public OperatorWatch {
 public:
  // `recorder`, if there is one, sees every operator. `rounds_float8`: what is converted to a
  // float8 by its name has that dtype's numbers, though in double. References are loaded under the
  // same.
  explicit ExactArithmetic(ChoiceRecorder* recorder = nullptr, bool rounds_float8 = false);
  // Lets these see every operator, too.
  void show(RoundingWork& work, PickUse& picks) {
    work_ = &work;
    picks_ = &picks;
  }
  void show(ValueFlow& flow) { flow_ = &flow; }
  ~ExactArithmetic() override;
  ExactArithmetic(const ExactArithmetic&) = delete;
  ExactArithmetic& operator=(const ExactArithmetic&) = delete;

  static bool is_on();
  static bool rounds_float8();  // the one that lives
  // Whether an operator was refused because it reads a float's bits.
  bool refused_bits() const { return refused_bits_; }
  // Whether an operator rounded a float to whole numbers or sorted it into bins.
  bool makes_codes() const { return makes_codes_; }
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  void run_in_flow(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void run_recorded(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void calculate(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void reinterpret(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  caffe2::TypeMeta default_before_;
  bool refused_bits_ = false;
  bool makes_codes_ = false;
  ChoiceRecorder* recorder_;
  RoundingWork* work_ = nullptr;
  PickUse* picks_ = nullptr;
  ValueFlow* flow_ = nullptr;
  std::optional<WatchOperators> watching_;
};

}  // namespace kbench
