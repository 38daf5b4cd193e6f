#include "reference/torch/serving/hosted_candidate.hpp"

#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <ATen/core/grad_mode.h>

#include <exception>
#include <utility>

#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/serving/outputs.hpp"

// The worker (worker/candidate.cpp) has this function: a call leaves its error there.
extern "C" void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);

namespace kbench {
namespace {

// Converts bytes to elements: torch counts float4_e2m1 by bytes of two, a Definition by elements.
void halve_last(std::vector<std::int64_t>& shape, DType dtype) {
  if (dtype == DType::float4_e2m1 && !shape.empty()) shape.back() /= 2;
}

// Memory of tensors, as torch names it and as the worker does.
struct Place {
  c10::Device torch{c10::DeviceType::CPU};
  DLDevice worker{kDLCPU, 0};

  // Returns the worker's device for its own memory, else the one that torch names.
  DLDevice of(const at::Tensor& tensor) const {
    if (tensor.device().type() == torch.type()) return worker;
    return {tensor.device().is_cpu() ? kDLCPU : kDLCUDA, 0};
  }
};

at::Tensor to_tensor(const DLTensor& tensor, c10::Device device) {
  const auto dtype = find_dtype(tensor.dtype.code, tensor.dtype.bits).value();
  std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  halve_last(shape, dtype);
  const auto options = at::TensorOptions().dtype(scalar_type(dtype)).device(device);
  if (c10::multiply_integers(shape) == 0 || device.is_meta()) return at::empty(shape, options);
  return at::for_blob(tensor.data, shape).options(options).target_device(device).make_tensor();
}

c10::IValue to_value(const TVMFFIAny& any, c10::Device device) {
  switch (any.type_index) {
    case kTVMFFIInt:
      return any.v_int64;
    case kTVMFFIBool:
      return any.v_int64 != 0;
    case kTVMFFIFloat:
      return any.v_float64;
    default:
      return to_tensor(*static_cast<const DLTensor*>(any.v_ptr), device);
  }
}

// Results of a call: the tensors, and an array of tvm-ffi's that names them.
class Results {
 public:
  explicit Results(const Place& place) : place_(place) {}

  void set(std::vector<c10::IValue> values) {
    values_ = std::move(values);
    tensors_.assign(values_.size(), {});
    shapes_.assign(values_.size(), {});
    elements_.assign(values_.size(), {});
    for (std::size_t i = 0; i < values_.size(); ++i) elements_[i] = describe(i);
    array_.cell.data = elements_.data();
    array_.cell.size = static_cast<std::int64_t>(elements_.size());
  }

  TVMFFIAny any() {
    TVMFFIAny out{};
    out.type_index = kTVMFFIArray;
    out.v_obj = &array_.header;
    return out;
  }

 private:
  struct Array {  // tvm-ffi's layout
    TVMFFIObject header{};
    TVMFFISeqCell cell{};
  };

  TVMFFIAny describe(std::size_t i) {
    const c10::IValue& value = values_[i];
    TVMFFIAny any{};
    if (value.isBool()) {
      any.type_index = kTVMFFIBool;
      any.v_int64 = value.toBool() ? 1 : 0;
    } else if (value.isInt()) {
      any.type_index = kTVMFFIInt;
      any.v_int64 = value.toInt();
    } else if (value.isDouble()) {
      any.type_index = kTVMFFIFloat;
      any.v_float64 = value.toDouble();
    } else if (value.isTensor() && value.toTensor().defined()) {
      any.type_index = kTVMFFIDLTensorPtr;
      any.v_ptr = &describe_tensor(i);
    }
    return any;
  }

  DLTensor& describe_tensor(std::size_t i) {
    // Work that a view leaves to be done belongs to the call, and to its time.
    const at::Tensor tensor = values_[i].toTensor().resolve_conj().resolve_neg().contiguous();
    const auto dtype = dtype_of(tensor.scalar_type());
    values_[i] = tensor;
    std::vector<std::int64_t>& shape = shapes_[i];
    shape = tensor.sizes().vec();
    const std::size_t rank = shape.size();
    if (dtype == DType::float4_e2m1 && rank > 0) shape[rank - 1] *= 2;
    DLTensor& out = tensors_[i];
    out.data = tensor.data_ptr();
    out.device = place_.of(tensor);
    out.ndim = static_cast<std::int32_t>(rank);
    out.shape = shape.data();
    out.strides = nullptr;
    out.dtype = at::getDLDataType(tensor);
    if (dtype)
      out.dtype = {info(*dtype).dlpack_code, static_cast<std::uint8_t>(info(*dtype).bits), 1};
    return out;
  }

  Place place_;
  std::vector<c10::IValue> values_;
  std::vector<DLTensor> tensors_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<TVMFFIAny> elements_;
  Array array_;
};

class HostedCandidate {
 public:
  HostedCandidate(std::unique_ptr<ReferenceFunction> function, bool returns,
                  const HostRequest& request, const Place& place)
      : function_(std::move(function)),
        name_(request.function),
        returns_(returns),
        place_(place),
        results_(place) {
    for (const std::string& output : request.outputs) declared_.push_back({output, DType::float32});
  }

  static int call(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result) {
    return tried([&] { static_cast<HostedCandidate*>(self)->run(arguments, count, result); });
  }

  static int prepare(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny*) {
    return tried([&] { static_cast<HostedCandidate*>(self)->run_prepare(arguments, count); });
  }

 private:
  template <class Work>
  static int tried(const Work& work) {
    try {
      work();
      return 0;
    } catch (const std::exception& error) {
      raise(error.what());
      return -1;
    }
  }

  void take(const TVMFFIAny* arguments, std::int32_t count, c10::Device device) {
    values_.clear();
    for (std::int32_t i = 0; i < count; ++i) values_.push_back(to_value(arguments[i], device));
  }

  void run_prepare(const TVMFFIAny* arguments, std::int32_t count) {
    take(arguments, count, c10::kMeta);
    function_->prepare(values_);
  }

  void run(const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result) {
    take(arguments, count, place_.torch);
    const c10::IValue value = function_->call(values_);
    if (!returns_) return;
    results_.set(split_outputs(in_one_tuple(value), declared_, name_));
    *result = results_.any();
  }

  // Residuals may be nested, and None stands for a gradient that there is not.
  c10::IValue in_one_tuple(const c10::IValue& value) const {
    if (!value.isTuple() || value.toTupleRef().size() == declared_.size()) return value;
    std::vector<c10::IValue> values;
    add_all(value, values);
    return values.size() == declared_.size() ? c10::ivalue::Tuple::create(std::move(values))
                                             : value;
  }

  static void add_all(const c10::IValue& value, std::vector<c10::IValue>& out) {
    if (value.isTuple())
      for (const c10::IValue& part : value.toTupleRef().elements()) add_all(part, out);
    else if (!value.isNone())
      out.push_back(value);
  }

  // Splits "ValueError: no" into kind and message; LibTorch's errors have no kind in their text.
  static void raise(const std::string& what) {
    const std::size_t colon = what.find(": ");
    const bool has_kind = colon != std::string::npos && what.find(' ') > colon;
    TVMFFIErrorSetRaisedFromCStr(has_kind ? what.substr(0, colon).c_str() : "RuntimeError",
                                 what.c_str() + (has_kind ? colon + 2 : 0));
  }

  std::unique_ptr<ReferenceFunction> function_;
  std::string name_;
  bool returns_;
  Place place_;
  std::vector<ReferenceResult> declared_;
  std::vector<c10::IValue> values_;
  Results results_;
};

}  // namespace

worker::EntryPoint hosted_entry_point(std::unique_ptr<ReferenceFunction> function, bool returns,
                                      const HostRequest& request) {
  const std::string& device = request.gpu.torch_device;  // "": the processor
  Place place;
  if (!device.empty()) place = {c10::Device(device), {kDLCUDA, 0}};
  worker::EntryPoint entry{};
  entry.call = &HostedCandidate::call;
  if (!request.prepare.empty()) entry.prepare = &HostedCandidate::prepare;
  entry.self = new HostedCandidate(std::move(function), returns, request, place);
  return entry;
}

}  // namespace kbench
