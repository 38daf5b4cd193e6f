#include "reference/torch/serving/outputs.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "problem/tensor_view.hpp"
#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {
namespace {

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " output" : " outputs");
}

at::Tensor as_tensor(const c10::IValue& value, const ReferenceResult& declared,
                     Arithmetic arithmetic) {
  if (value.isTensor() && value.toTensor().defined()) return value.toTensor();
  const at::ScalarType dtype = scalar_type(declared.dtype);
  const auto options =
      at::TensorOptions().dtype(arithmetic == Arithmetic::exact ? mapped(dtype) : dtype);
  if (value.isBool()) return at::scalar_tensor(value.toBool(), options);
  if (value.isInt()) return at::scalar_tensor(value.toInt(), options);
  if (value.isDouble()) return at::scalar_tensor(value.toDouble(), options);
  throw WrongOutputs("output \"" + declared.name + "\" is " +
                     (value.isNone() ? "None" : "a " + value.tagKind()) + ", not a tensor");
}

ReferenceOutput describe(const at::Tensor& tensor, const std::string& name) {
  const auto dtype = dtype_of(tensor.scalar_type());
  if (!dtype) {
    throw WrongOutputs("output \"" + name + "\" is " + c10::toString(tensor.scalar_type()) +
                       ", which no Definition can declare");
  }
  if (tensor.layout() != at::kStrided || !tensor.device().is_cpu())
    throw WrongOutputs("output \"" + name + "\" is no dense tensor on the CPU");
  ReferenceOutput output{*dtype, tensor.sizes().vec(), 0, tensor.nbytes()};
  if (*dtype == DType::float4_e2m1 && !output.shape.empty()) output.shape.back() *= 2;
  return output;
}

}  // namespace

ExecuteResult copy_native(const std::vector<at::Tensor>& tensors,
                          const std::vector<std::string>& names, std::uint64_t limit) {
  ExecuteResult result;
  std::size_t total = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ReferenceOutput output = describe(tensors[i], names[i]);
    output.offset = total;
    total += (output.bytes + page_bytes - 1) / page_bytes * page_bytes;
    result.reply.outputs.push_back(std::move(output));
  }
  if (limit > 0 && total > limit) throw std::bad_alloc();
  result.outputs = SharedMemory("kbench reference outputs", total);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ReferenceOutput& output = result.reply.outputs[i];
    if (output.bytes == 0) continue;
    const at::Tensor contiguous = tensors[i].resolve_conj().resolve_neg().contiguous();
    std::memcpy(result.outputs.data() + output.offset, contiguous.const_data_ptr(), output.bytes);
  }
  return result;
}

std::vector<c10::IValue> split_outputs(const c10::IValue& value,
                                       const std::vector<ReferenceResult>& declared,
                                       const std::string& function) {
  std::vector<c10::IValue> values;
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    for (const ReferenceResult& output : declared) {
      const auto found = dict.find(c10::IValue(output.name));
      if (found == dict.end())
        throw WrongOutputs(function + "() returned a dict without \"" + output.name + "\"");
      values.push_back(found->value());
    }
    return values;
  }
  if (value.isTuple()) {
    values = value.toTupleRef().elements().vec();
  } else if (value.isList()) {
    values = value.toListRef().vec();
  } else {
    values = {value};
  }
  if (values.size() != declared.size()) {
    std::vector<std::string> names;
    for (const ReferenceResult& output : declared) names.push_back(output.name);
    throw WrongOutputs(function + "() returned " + counted(values.size()) + ", not " +
                       std::to_string(names.size()) + (names.empty() ? "" : ": ") +
                       join(names, ", "));
  }
  return values;
}

std::vector<at::Tensor> output_tensors(const c10::IValue& value, const ReferenceRequest& request) {
  const std::vector<c10::IValue> values = split_outputs(value, request.outputs);
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < values.size(); ++i) {
    at::Tensor tensor = as_tensor(values[i], request.outputs[i], request.arithmetic);
    const bool is_exact = request.arithmetic == Arithmetic::exact;
    tensors.push_back(is_exact ? tensor.to(mapped(tensor.scalar_type())) : tensor);
  }
  return tensors;
}

ExecuteResult collect_outputs(const c10::IValue& value, const ReferenceRequest& request) {
  std::vector<std::string> names;
  for (const ReferenceResult& output : request.outputs) names.push_back(output.name);
  return copy_native(output_tensors(value, request), names, request.bytes);
}

namespace {

constexpr std::string_view assertion = "AssertionError";

// Largest residual, its place, and whether the values are truths and no numbers.
struct Worst {
  double value = 0;
  std::string place;  // "[0, 3]"; "" for a number
  bool is_truth = false;
};

Worst of_truth(bool is_right) { return {is_right ? 0.0 : 2.0, "", true}; }

// Rates a difference, of either sign, by its size; NaN is worse than any number.
Worst of_number(double value) {
  return {std::isnan(value) ? std::numeric_limits<double>::infinity() : std::fabs(value), "",
          false};
}

[[noreturn]] void refuse(const std::string& what) {
  throw RaisedError(
      "it returned " + what + "; right are bools, or residuals divided by their tolerances", 0);
}

// Integers are refused: a 1 may be a count, or a truth that was converted.
Worst of_tensor(const at::Tensor& tensor) {
  const bool is_truth = tensor.scalar_type() == at::kBool;
  if (!is_truth && !tensor.is_floating_point())
    refuse("a tensor of " + std::string(c10::toString(tensor.scalar_type())));
  Worst worst{0, "", is_truth};
  if (tensor.numel() == 0) return worst;
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous().view(-1);
  const auto* values = flat.const_data_ptr<double>();
  const auto badness = [&](std::int64_t i) {
    return worst.is_truth ? of_truth(values[i] != 0).value : of_number(values[i]).value;
  };
  std::int64_t at = 0;
  for (std::int64_t i = 1; i < flat.numel(); ++i)
    if (badness(i) > badness(at)) at = i;
  worst.value = badness(at);
  if (tensor.dim() > 0)
    worst.place = place_text(static_cast<std::size_t>(at), tensor.sizes().vec());
  return worst;
}

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

class Judge {
 public:
  ReferenceReply judge(const c10::IValue& returned) {
    look_at(returned, "");
    return std::move(reply_);
  }

 private:
  void look_at(const c10::IValue& value, const std::string& name) {
    if (value.isGenericDict()) {
      if (value.toGenericDict().empty()) refuse("an empty dict");
      for (const auto& entry : value.toGenericDict()) look_at(entry.value(), key_text(entry.key()));
    } else if (value.isTuple()) {
      look_at_each(value.toTupleRef().elements().vec());
    } else if (value.isList()) {
      look_at_each(value.toListRef().vec());
    } else {
      add(worst_of(value), name);
    }
  }

  void look_at_each(const std::vector<c10::IValue>& values) {
    if (values.empty()) refuse("an empty tuple or list");
    for (std::size_t i = 0; i < values.size(); ++i)
      look_at(values[i],
              "residual " + std::to_string(i + 1) + " of " + std::to_string(values.size()));
  }

  static std::string key_text(const c10::IValue& key) {
    return key.isString() ? "\"" + key.toStringRef() + "\"" : "a residual";
  }

  static Worst worst_of(const c10::IValue& value) {
    if (value.isBool()) return of_truth(value.toBool());
    if (value.isDouble()) return of_number(value.toDouble());
    if (value.isTensor()) return of_tensor(value.toTensor());
    refuse(value.isNone() ? "None" : "a value of type " + value.tagKind());
  }

  // Reports the first one that is too large.
  void add(const Worst& worst, const std::string& name) {
    reply_.residual = std::max(reply_.residual, worst.is_truth ? 0 : worst.value);
    if (worst.value <= 1 || !reply_.refusal.empty()) return;
    const std::string what = name.empty() ? "the residual" : name;
    const std::string where = worst.place.empty() ? "" : " at " + worst.place;
    if (worst.is_truth)
      reply_.refusal = name.empty() ? "it is false" + where : name + " is false" + where;
    else if (std::isinf(worst.value))
      reply_.refusal = what + " is not finite" + where;
    else
      reply_.refusal = what + " is " + three_digits(worst.value) + " times its tolerance" +
                       (where.empty() ? "" : "; worst" + where);
  }

  ReferenceReply reply_;
};

// Joins lines: a cause stands on one.
std::string joined_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  return join(lines, "; ");
}

std::string_view without(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Returns the text of an assertion; nothing for any other failure. LibTorch raises all errors as
// one of its own, which names the reference's.
std::optional<std::string_view> assertion_text(const ReferenceReply& failure) {
  if (failure.outcome != ReferenceOutcome::failed) return std::nullopt;
  const std::string_view said = without("builtins.", without("RuntimeError: ", failure.message));
  if (!said.starts_with(assertion)) return std::nullopt;
  return without(":", said.substr(assertion.size()));
}

}  // namespace

ReferenceReply judged_by_residuals(const c10::IValue& returned) { return Judge().judge(returned); }

ReferenceReply judged_by_assertion(ReferenceReply failure) {
  const auto said = assertion_text(failure);
  if (!said) return failure;
  ReferenceReply reply;
  reply.line = failure.line;
  reply.refusal = joined_lines(*said);
  if (reply.refusal.empty())
    reply.refusal = "an assertion failed in line " + std::to_string(failure.line);
  return reply;
}

}  // namespace kbench
