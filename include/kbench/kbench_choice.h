// SPDX-License-Identifier: Apache-2.0
// Calls of Solutions from a program: which Solution serves a call, with which configuration, chosen
// as kbench does it. kbench kernels codegen --as solutions writes code on top of this. C++17,
// nothing but the standard library.
#ifndef KBENCH_CHOICE_H_
#define KBENCH_CHOICE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kbench_ffi.h"

namespace kbench {

// Reason why no call was made: tensors that do not fit, no Solution that serves, or its error.
struct CallError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Contiguous tensor in the caller's memory; functions take it, and any other DLTensor.
class View {
 public:
  View(void* data, DType dtype, std::vector<int64_t> shape)
      : shape_(std::move(shape)), tensor_{data,  {1, 0},        static_cast<int32_t>(shape_.size()),
                                          dtype, shape_.data(), nullptr,
                                          0} {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  operator const DLTensor&() const { return tensor_; }

 private:
  std::vector<int64_t> shape_;
  DLTensor tensor_;
};

// Request by the caller: a Solution, a configuration of the one that serves ("BLOCK=64").
struct Wish {
  std::string solution = "";
  std::string configuration = "";
};

// Choice of a Solution and a configuration, and its origin: "override", "overlay", "store",
// "heuristic"; "" where the Solution declares no parameters.
struct Chosen {
  std::string solution, configuration, source;
};

namespace choice {

// Number of a condition, if it has one. Nothing is computed of fractions: they are compared.
struct Value {
  int64_t number = 0;
  bool is_known = true;
  int64_t part = 0;  // the rest beyond `number`, in parts of 2^62
};
using Values = std::initializer_list<Value>;

inline Value number(int64_t value) { return {value}; }
inline Value none() { return {0, false}; }
// Tells whether all parts of a condition have a value.
inline bool are_known(Values values) {
  return std::all_of(values.begin(), values.end(), [](const Value& one) { return one.is_known; });
}
inline bool is_true(Value value) { return value.is_known && (value.number | value.part) != 0; }
inline Value real(double value) {
  if (!(std::abs(value) <= 9007199254740992.0)) return none();
  const double down = std::floor(value), rest = std::ceil(std::ldexp(value - down, 62));
  return {static_cast<int64_t>(down), true, static_cast<int64_t>(rest)};
}

// Applies an operation to two known numbers; with an unknown one the result is unknown.
template <class Operation>
Value with_both(Value a, Value b, Operation operation) {
  if (!a.is_known) return a;
  if (!b.is_known) return b;
  if (a.part != 0 || b.part != 0) return none();
  return operation(a.number, b.number);
}

inline Value add(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    int64_t sum = 0;
    return __builtin_add_overflow(x, y, &sum) ? none() : number(sum);
  });
}
inline Value subtract(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    int64_t difference = 0;
    return __builtin_sub_overflow(x, y, &difference) ? none() : number(difference);
  });
}
inline Value multiply(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    int64_t product = 0;
    return __builtin_mul_overflow(x, y, &product) ? none() : number(product);
  });
}
// Rounds quotients towards minus infinity; remainders have the divisor's sign.
inline Value floor_divide(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    if (y == 0 || (x == INT64_MIN && y == -1)) return none();
    return number(x / y - static_cast<int64_t>(x % y != 0 && (x < 0) != (y < 0)));
  });
}
inline Value modulo(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    if (y == 0) return none();
    if (y == -1) return number(0);
    const int64_t rest = x % y;
    return number(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
  });
}
inline Value divide(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    if (y == 0 || (x == INT64_MIN && y == -1)) return none();
    return x % y == 0 ? number(x / y) : none();
  });
}
inline Value power(Value a, Value b) {
  return with_both(a, b, [](int64_t x, int64_t y) {
    if (y < 0) return none();
    if (x >= -1 && x <= 1 && y > 1) y = 2 + y % 2;
    Value result = number(1);
    for (int64_t i = 0; i < y && result.is_known; ++i) result = multiply(result, number(x));
    return result;
  });
}
inline Value negated(Value a) { return a.is_known ? number(is_true(a) ? 0 : 1) : a; }
inline Value inverted(Value a) { return a.part == 0 ? Value{~a.number, a.is_known} : none(); }

inline bool compares(Value left, const char* by, Value right) {
  const auto a = std::pair(left.number, left.part), b = std::pair(right.number, right.part);
  const std::string op = by;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  return op == ">" ? a > b : a >= b;
}

// Evaluates a < b <= c.
inline Value chain(Values values, std::initializer_list<const char*> by) {
  const Value* left = values.begin();
  for (const char* op : by) {
    const Value* const right = left + 1;
    if (!left->is_known) return *left;
    if (!right->is_known) return *right;
    if (!compares(*left, op, *right)) return number(0);
    left = right;
  }
  return number(1);
}

// Returns the first operand that decides or is unknown; later ones do not count.
inline Value decided(Values values, bool by) {
  Value last = number(by ? 0 : 1);
  for (const Value& value : values) {
    last = value;
    if (!value.is_known || is_true(value) == by) break;
  }
  return last;
}
inline Value either(Values values) { return decided(values, true); }
inline Value both(Values values) { return decided(values, false); }
inline Value selected(Value condition, Value yes, Value no) {
  if (!condition.is_known) return condition;
  return is_true(condition) ? yes : no;
}

inline Value extreme(Values values, bool is_least) {
  Value best = *values.begin();
  for (const Value* next = values.begin() + 1; next != values.end() && best.is_known; ++next)
    if (!next->is_known || compares(*next, is_least ? "<" : ">", best)) best = *next;
  return best;
}
inline Value least(Values values) { return extreme(values, true); }
inline Value most(Values values) { return extreme(values, false); }

// Tells whether it holds for the facts of a call (its axes, then its scalars) and the values of a
// configuration's parameters. nullptr: always.
using Condition = bool (*)(const Value* facts, const Value* values);
using Function = int (*)(void*, const Any*, int32_t, Any*);

struct Configuration {
  std::string text;
  Function function;
  std::vector<Value> values;
  std::vector<Any> passed;  // arguments of each call, behind the inputs
};

struct Row {
  Condition condition;
  size_t configuration;
};

struct Solution {
  std::string name;
  bool (*runs_here)();
  Condition supports, where;
  std::vector<Configuration> configurations;
  std::vector<Row> overlay, store, heuristic, fallback;
};

inline std::string& raised() {
  static thread_local std::string text;
  return text;
}

// Call of a Definition: its arguments, and what follows from them.
class Call {
 public:
  Call(std::string definition, std::vector<std::string> axes, std::vector<int64_t> lengths)
      : definition_(std::move(definition)), axes_(std::move(axes)), lengths_(std::move(lengths)) {}

  void input(const char* name, const DLTensor& tensor, DType dtype, std::vector<size_t> shape) {
    bind(name, tensor, dtype, shape);
    inputs_.push_back(passed(tensor));
  }
  void output(const char* name, const DLTensor& tensor, DType dtype, std::vector<size_t> shape) {
    bind(name, tensor, dtype, shape);
    outputs_.push_back(passed(tensor));
  }
  void scalar(int64_t value) {
    inputs_.push_back(of_integer(value, kInt));
    scalars_.push_back(number(value));
  }
  void scalar(bool value) {
    inputs_.push_back(of_integer(value ? 1 : 0, kBoolean));
    scalars_.push_back(number(value ? 1 : 0));
  }
  void scalar(double value) {
    Any any{kFloat, 0, {0}};
    any.as_float = value;
    inputs_.push_back(any);
    scalars_.push_back(real(value));
  }

  // Returns the first Solution that serves, with its configuration; calls it, if is_called.
  Chosen serve(const std::vector<Solution>& solutions, const Wish& wish, bool is_called) const {
    const std::vector<Value> facts = this->facts();
    for (const Solution& one : solutions) {
      const bool is_asked = wish.solution.empty() || wish.solution == one.name;
      if (!is_asked || (one.runs_here != nullptr && !one.runs_here())) continue;
      if (one.supports != nullptr && !one.supports(facts.data(), nullptr)) continue;
      const auto [configuration, source] = configured(one, facts, wish);
      if (is_called) run(one, *configuration);
      return {one.name, configuration->text, configuration->text.empty() ? "" : source};
    }
    std::string known;
    for (const Solution& one : solutions) known += (known.empty() ? "" : ", ") + one.name;
    fail("no solution serves this call; there are " + known);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw CallError(definition_ + ": " + why);
  }

  static Any passed(const DLTensor& tensor) {
    Any any{kDLTensor, 0, {0}};
    any.as_pointer = const_cast<DLTensor*>(&tensor);
    return any;
  }
  static Any of_integer(int64_t value, int32_t type) {
    Any any{type, 0, {0}};
    any.as_int = value;
    return any;
  }

  void bind(const std::string& name, const DLTensor& tensor, DType dtype,
            const std::vector<size_t>& shape) {
    if (tensor.device.type != 1) fail(name + " is not in the memory of the CPU");
    if (tensor.dtype != dtype) fail(name + " has another dtype");
    if (tensor.ndim != static_cast<int>(shape.size()))
      fail(name + " has " + std::to_string(tensor.ndim) + " axes, not " +
           std::to_string(shape.size()));
    if (!Tensor(&tensor).contiguous()) fail(name + " is not contiguous");
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& length = lengths_[shape[i]];
      if (length < 0) length = tensor.shape[i];
      if (length != tensor.shape[i])
        fail("axis " + axes_[shape[i]] + " is " + std::to_string(tensor.shape[i]) + " in " + name +
             ", not " + std::to_string(length));
    }
  }

  std::vector<Value> facts() const {
    std::vector<Value> all;
    for (size_t i = 0; i < lengths_.size(); ++i) {
      if (lengths_[i] < 0) fail("no tensor says how long axis " + axes_[i] + " is");
      all.push_back(number(lengths_[i]));
    }
    all.insert(all.end(), scalars_.begin(), scalars_.end());
    return all;
  }

  static bool fits(const Solution& one, const std::vector<Value>& facts,
                   const Configuration& configuration) {
    return one.where == nullptr || one.where(facts.data(), configuration.values.data());
  }

  std::pair<const Configuration*, const char*> configured(const Solution& one,
                                                          const std::vector<Value>& facts,
                                                          const Wish& wish) const {
    if (!wish.configuration.empty()) return {&stated(one, facts, wish.configuration), "override"};
    const auto holds = [&](const Row& row) {
      return row.condition == nullptr || row.condition(facts.data(), nullptr);
    };
    for (auto row = one.overlay.rbegin(); row != one.overlay.rend(); ++row) {
      if (!holds(*row)) continue;
      return {&stated(one, facts, one.configurations[row->configuration].text), "overlay"};
    }
    const auto fitting = [&](const Row& row) {
      return holds(row) && fits(one, facts, one.configurations[row.configuration]);
    };
    const auto stored = std::find_if(one.store.rbegin(), one.store.rend(), fitting);
    if (stored != one.store.rend()) return {&one.configurations[stored->configuration], "store"};
    for (const std::vector<Row>* rows : {&one.heuristic, &one.fallback}) {
      const auto found = std::find_if(rows->begin(), rows->end(), fitting);
      if (found != rows->end()) return {&one.configurations[found->configuration], "heuristic"};
    }
    fail("NO_CONFIG: no configuration of " + one.name + " fits this call");
  }

  // Returns the stated configuration, or fails.
  const Configuration& stated(const Solution& one, const std::vector<Value>& facts,
                              const std::string& text) const {
    std::string known;
    for (const Configuration& configuration : one.configurations) {
      known += (known.empty() ? "" : ", ") + configuration.text;
      if (configuration.text != text) continue;
      if (!fits(one, facts, configuration))
        fail(text + " of " + one.name + " does not fit this call");
      return configuration;
    }
    fail("\"" + text + "\" of " + one.name + " was not built: there are " + known);
  }

  void run(const Solution& one, const Configuration& configuration) const {
    std::vector<Any> arguments = inputs_;
    arguments.insert(arguments.end(), configuration.passed.begin(), configuration.passed.end());
    arguments.insert(arguments.end(), outputs_.begin(), outputs_.end());
    Any result{kNone, 0, {0}};
    raised() = "it failed";
    const auto count = static_cast<int32_t>(arguments.size());
    if (configuration.function(nullptr, arguments.data(), count, &result) != 0)
      fail(one.name + ": " + raised());
  }

  std::string definition_;
  std::vector<std::string> axes_;
  std::vector<int64_t> lengths_;  // -1: not known yet
  std::vector<Any> inputs_, outputs_;
  std::vector<Value> scalars_;
};

}  // namespace choice
}  // namespace kbench

#endif  // KBENCH_CHOICE_H_
