#include "reference/torch/serving/python_object.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>

#include "reference/torch/script/program.hpp"

namespace kbench {
namespace {

// Python says by its error alone that a number is none.
template <typename Number>
Number checked(Number value) {
  if (value == static_cast<Number>(-1) && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

// By torch's own function: an attribute of the object, such as _cdata, is what its class makes of
// it.
at::Tensor tensor_of(const PythonObject& object) {
  const at::Tensor tensor =
      torch::jit::toIValue({object.get()}, c10::TensorType::get(), std::nullopt).toTensor();
  return at::GradMode::is_enabled() ? tensor : tensor.detach();
}

c10::IValue tuple_of(const PythonObject& values, const PythonTypes& types) {
  std::vector<c10::IValue> elements;
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) elements.push_back(to_value(values.item(i), types));
  return c10::ivalue::Tuple::create(std::move(elements));
}

c10::IValue dict_of(const PythonObject& value, const PythonTypes& types) {
  c10::impl::GenericDict out(c10::StringType::get(), c10::AnyType::get());
  const PythonObject items(PyDict_Items(value.get()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PythonObject item = items.item(i), key = item.item(0);
    if (key.is(types.text)) out.insert(key.text(), to_value(item.item(1), types));
  }
  return out;
}

}  // namespace

PythonObject::PythonObject(PyObject* owned) : object_(owned) {
  if (owned == nullptr) throw PythonError();
}

PythonObject::PythonObject(const PythonObject& other) : object_(other.object_) {
  Py_IncRef(object_);
}

PythonObject& PythonObject::operator=(PythonObject other) noexcept {
  std::swap(object_, other.object_);
  return *this;
}

PythonObject::~PythonObject() {
  if (object_ != nullptr) Py_DecRef(object_);
}

PythonObject PythonObject::borrowed(PyObject* object) {
  if (object != nullptr) Py_IncRef(object);
  return PythonObject(object);
}

PythonObject PythonObject::attribute(const char* name) const {
  return PythonObject(PyObject_GetAttrString(object_, name));
}

PythonObject PythonObject::item(std::size_t at) const {
  return PythonObject(PySequence_GetItem(object_, static_cast<ssize_t>(at)));
}

std::size_t PythonObject::size() const {
  return static_cast<std::size_t>(checked(PySequence_Size(object_)));
}

bool PythonObject::is(const PythonObject& type) const {
  return checked(PyObject_IsInstance(object_, type.get())) != 0;
}

PythonObject PythonObject::operator()(std::vector<PythonObject> arguments) const {
  const PythonObject tuple(PyTuple_New(static_cast<ssize_t>(arguments.size())));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<ssize_t>(i), arguments[i].release());
  return PythonObject(PyObject_CallObject(object_, tuple.get()));
}

std::string PythonObject::text() const {
  ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object_, &size);
  if (text == nullptr) throw PythonError();
  return {text, static_cast<std::size_t>(size)};
}

PythonObject python_text(std::string_view text) {
  return PythonObject(PyUnicode_FromStringAndSize(text.data(), static_cast<ssize_t>(text.size())));
}

PythonObject python_texts(const std::vector<std::string>& texts) {
  PythonObject tuple(PyTuple_New(static_cast<ssize_t>(texts.size())));
  for (std::size_t i = 0; i < texts.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<ssize_t>(i), python_text(texts[i]).release());
  return tuple;
}

PythonObject python_bool(bool value) { return PythonObject(PyBool_FromLong(value ? 1 : 0)); }

PythonObject to_python(const c10::IValue& value) {
  if (value.isTensor()) return PythonObject(THPVariable_Wrap(value.toTensor()));
  if (value.isBool()) return python_bool(value.toBool());
  if (value.isInt()) return PythonObject(PyLong_FromLongLong(value.toInt()));
  return PythonObject(PyFloat_FromDouble(value.toDouble()));
}

PythonTypes::PythonTypes(const PythonObject& glue)
    : tensor(glue.attribute("Tensor")),
      boolean(glue.attribute("bool")),
      integer(glue.attribute("int")),
      floating(glue.attribute("float")),
      tuple(glue.attribute("tuple")),
      list(glue.attribute("list")),
      dict(glue.attribute("dict")),
      text(glue.attribute("str")),
      none(glue.attribute("NoneType")) {}

c10::IValue to_value(const PythonObject& object, const PythonTypes& types) {
  if (object.is(types.tensor)) return tensor_of(object);
  if (object.is(types.none)) return {};
  if (object.is(types.boolean)) return checked(PyLong_AsLongLong(object.get())) != 0;
  if (object.is(types.integer))
    return static_cast<std::int64_t>(checked(PyLong_AsLongLong(object.get())));
  if (object.is(types.floating)) return checked(PyFloat_AsDouble(object.get()));
  if (object.is(types.tuple) || object.is(types.list)) return tuple_of(object, types);
  if (object.is(types.dict)) return dict_of(object, types);
  const std::string name = object.attribute("__class__").attribute("__name__").text();
  throw RaisedError("it returned a " + name + ", not a tensor", 0);
}

}  // namespace kbench
