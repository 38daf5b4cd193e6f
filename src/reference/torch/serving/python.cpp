#include "reference/torch/serving/python.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>

#include <functional>
#include <new>

#include "reference/torch/exact/exact_arithmetic.hpp"

namespace kbench {
namespace {

// Python tells only by its error that a value is no number.
template <typename Number>
Number checked(Number value) {
  if (value == static_cast<Number>(-1) && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

// Unwraps by torch's own function: an attribute of the object, such as _cdata, is whatever its
// class makes of it.
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

namespace {

struct Glue {
  PythonObject module;
  PythonTypes types;
};

// Module that lives as long as the process: an interpreter that ends would take it along.
Glue* glue = nullptr;

// Describes an exception to the author of what was loaded. `describe` is the glue's.
RaisedError raised(const PythonObject& describe) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const PythonObject error(value);
  if (trace != nullptr) PyException_SetTraceback(value, PythonObject(trace).get());
  if (type != nullptr) Py_DecRef(type);
  const PythonObject said = describe({error});
  if (said.item(0).is(glue->types.none)) throw std::bad_alloc();
  return {said.item(0).text(), static_cast<int>(PyLong_AsLongLong(said.item(1).get()))};
}

// Scope in which others may have the interpreter's lock.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(state_); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  _ts* state_;
};

class InterpretedFunction : public ReferenceFunction {
 public:
  explicit InterpretedFunction(PythonObject made)
      : made_(std::move(made)), run_(made_.attribute("load")({})) {}

  c10::IValue call(const std::vector<c10::IValue>& arguments) override {
    return call(run_, arguments);
  }

  void prepare(const std::vector<c10::IValue>& arguments) override {
    call(made_.attribute("prepare"), arguments);
  }

  void run_outside(const std::function<void()>& work) override {
    const WithoutLock unlocked;
    work();
  }

 private:
  c10::IValue call(const PythonObject& function, const std::vector<c10::IValue>& arguments) const {
    std::vector<PythonObject> values;
    values.reserve(arguments.size());
    for (const c10::IValue& argument : arguments) values.push_back(to_python(argument));
    try {
      return to_value(function(std::move(values)), glue->types);
    } catch (const PythonError&) {
      throw raised(made_.attribute("describe"));
    }
  }

  PythonObject made_, run_;
};

// Completes the fork: the parent knows nothing of Python. Steps before a fork can be done here as
// well, since one thread alone ever ran Python; without them 3.13 aborts, which lets go of a lock
// that only PyOS_BeforeFork() takes.
void leave_parent() {
  static bool is_after_fork = false;
  if (std::exchange(is_after_fork, true)) return;
  PyOS_BeforeFork();
  PyOS_AfterFork_Child();
}

// Makes an object of the glue, then loads it, so that it can describe why it does not load.
std::unique_ptr<ReferenceFunction> load(const char* kind, std::vector<PythonObject> what) {
  leave_parent();
  const PythonObject made = glue->module.attribute(kind)(std::move(what));
  try {
    return std::make_unique<InterpretedFunction>(made);
  } catch (const PythonError&) {
    throw raised(made.attribute("describe"));
  }
}

std::vector<std::string> paths_of(const char* function) {
  const PythonObject paths = glue->module.attribute(function)({});
  std::vector<std::string> out;
  for (std::size_t i = 0; i < paths.size(); ++i) out.push_back(paths.item(i).text());
  return out;
}

}  // namespace

void enter_python(PyObject* module) {
  PythonObject own = PythonObject::borrowed(module);
  PythonTypes types(own);
  glue = new Glue{std::move(own), std::move(types)};
}

bool is_python() { return glue != nullptr; }

void import_for_forks(const ReferenceRequest& request) {
  if (is_python()) glue->module.attribute("import_for_forks")({python_text(request.reference)});
}

std::unique_ptr<ReferenceFunction> load_reference_in_python(const ReferenceRequest& request,
                                                            const ReferenceLoadOptions& options) {
  std::vector<std::string> names;
  for (const ReferenceArgument& input : request.inputs) names.push_back(input.name);
  return load(
      "Reference",
      {python_text(request.reference), python_texts(names),
       python_bool(options.arithmetic == Arithmetic::exact), python_bool(options.differentiable),
       python_bool(options.records_limits), python_bool(ExactArithmetic::rounds_float8()),
       python_text(called_function(request.kind))});
}

std::unique_ptr<ReferenceFunction> load_candidate_in_python(const HostRequest& request) {
  return load("Candidate",
              {python_text(request.folder), python_text(request.file),
               python_text(request.function), python_text(request.prepare),
               python_texts(request.parameters), python_texts(request.outputs),
               to_python(c10::IValue(request.emulated_seconds)), python_text(request.compiler)});
}

void enter_worker_in_python(const HostRequest& request) {
  leave_parent();
  const std::string scratch = request.starts_compilers ? request.directory : "";
  glue->module.attribute("enter_worker")({python_text(request.gpu.torch_device),
                                          python_texts(request.gpu.environment),
                                          python_text(scratch)});
}

void begin_emulated_call_in_python(std::uint64_t seed, const std::vector<std::string>& read_only) {
  glue->module.attribute("begin_emulated_call")(
      {to_python(c10::IValue(static_cast<std::int64_t>(seed))), python_texts(read_only)});
}

std::vector<std::string> python_folders() { return paths_of("folders"); }
std::vector<std::string> python_programs() { return paths_of("programs"); }

}  // namespace kbench
