// References and candidates in Python, where this library is loaded by an interpreter
// (src/reference/python/kbench_host.py): that of the environment which LibTorch is from; and
// objects of that interpreter, kbench's values made of them.
#pragma once

#include <ATen/core/ivalue.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/host_protocol.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/script/program.hpp"

// Functions of CPython's stable ABI, which is one from Python 3.2 on, and two of torch's. They are
// weak: an interpreter that has loaded this library defines them, and elsewhere there are none.
struct _object;
using PyObject = _object;
struct _ts;  // state of a thread

namespace pybind11 {
struct handle {  // argument of torch's functions
  PyObject* object;
};
}  // namespace pybind11

#define KBENCH_OF_PYTHON __attribute__((weak))

// Returns a new reference.
KBENCH_OF_PYTHON PyObject* THPVariable_Wrap(const at::TensorBase& tensor);
namespace torch::jit {
KBENCH_OF_PYTHON c10::IValue toIValue(pybind11::handle object, const c10::TypePtr& type,
                                      std::optional<std::int32_t> size);
}

extern "C" {
KBENCH_OF_PYTHON void Py_IncRef(PyObject* object);
KBENCH_OF_PYTHON void Py_DecRef(PyObject* object);
KBENCH_OF_PYTHON void PyOS_BeforeFork();
KBENCH_OF_PYTHON void PyOS_AfterFork_Child();
KBENCH_OF_PYTHON _ts* PyEval_SaveThread();
KBENCH_OF_PYTHON void PyEval_RestoreThread(_ts* state);

KBENCH_OF_PYTHON PyObject* PyBool_FromLong(long value);
KBENCH_OF_PYTHON PyObject* PyLong_FromLongLong(long long value);
KBENCH_OF_PYTHON long long PyLong_AsLongLong(PyObject* object);
KBENCH_OF_PYTHON PyObject* PyFloat_FromDouble(double value);
KBENCH_OF_PYTHON double PyFloat_AsDouble(PyObject* object);
KBENCH_OF_PYTHON PyObject* PyUnicode_FromStringAndSize(const char* text, ssize_t size);
KBENCH_OF_PYTHON const char* PyUnicode_AsUTF8AndSize(PyObject* object, ssize_t* size);

KBENCH_OF_PYTHON PyObject* PyTuple_New(ssize_t size);
KBENCH_OF_PYTHON int PyTuple_SetItem(PyObject* tuple, ssize_t at, PyObject* stolen);
KBENCH_OF_PYTHON ssize_t PySequence_Size(PyObject* object);
KBENCH_OF_PYTHON PyObject* PySequence_GetItem(PyObject* object, ssize_t at);
KBENCH_OF_PYTHON PyObject* PyDict_Items(PyObject* dict);

KBENCH_OF_PYTHON PyObject* PyObject_GetAttrString(PyObject* object, const char* name);
KBENCH_OF_PYTHON int PyObject_IsInstance(PyObject* object, PyObject* type);
KBENCH_OF_PYTHON PyObject* PyObject_CallObject(PyObject* function, PyObject* arguments);

KBENCH_OF_PYTHON PyObject* PyErr_Occurred();
KBENCH_OF_PYTHON void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** trace);
KBENCH_OF_PYTHON void PyErr_NormalizeException(PyObject** type, PyObject** value, PyObject** trace);
KBENCH_OF_PYTHON int PyException_SetTraceback(PyObject* error, PyObject* trace);
}

#undef KBENCH_OF_PYTHON

namespace kbench {

// Python has an exception set.
struct PythonError : std::runtime_error {
  PythonError() : std::runtime_error("Python raised an exception that nobody describes") {}
};

// Owned reference to an object.
class PythonObject {
 public:
  // Takes the result of a function of Python's. Throws PythonError for a null pointer.
  explicit PythonObject(PyObject* owned);
  PythonObject(const PythonObject& other);
  PythonObject(PythonObject&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PythonObject& operator=(PythonObject other) noexcept;
  ~PythonObject();

  static PythonObject borrowed(PyObject* object);

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

  // Throws PythonError, as all here.
  PythonObject attribute(const char* name) const;
  PythonObject item(std::size_t at) const;
  std::size_t size() const;
  bool is(const PythonObject& type) const;
  PythonObject operator()(std::vector<PythonObject> arguments) const;
  std::string text() const;

 private:
  PyObject* object_;
};

PythonObject python_text(std::string_view text);
PythonObject python_texts(const std::vector<std::string>& texts);
PythonObject python_bool(bool value);

// Converts a tensor or a number.
PythonObject to_python(const c10::IValue& value);

// Types that a function may return, as the glue names them.
struct PythonTypes {
  explicit PythonTypes(const PythonObject& glue);
  PythonObject tensor, boolean, integer, floating, tuple, list, dict, text, none;
};

// Converts the result of a function. None stays None: the judge names the output. Throws
// PythonError, and RaisedError where it is nothing that may be returned.
c10::IValue to_value(const PythonObject& object, const PythonTypes& types);

// Declares that this process is an interpreter, which holds its lock; `glue` is module kbench_glue.
void enter_python(PyObject* glue);
bool is_python();

// Imports those parts of torch that the reference's forks would each import, which takes seconds.
void import_for_forks(const ReferenceRequest& request);

// Runs the reference's text and gives back its `run`. Meant for a fork: what the text does to the
// interpreter stays. Throws RaisedError.
std::unique_ptr<ReferenceFunction> load_reference_in_python(const ReferenceRequest& request,
                                                            const ReferenceLoadOptions& options);

// Imports a candidate's module and gives back its function; meant for a fork, too.
std::unique_ptr<ReferenceFunction> load_candidate_in_python(const HostRequest& request);

// Tells the worker's Python, before all else, what it has of a GPU, and where it may compile.
void enter_worker_in_python(const HostRequest& request);

// Tells a candidate whose kernels are emulated, before each call, the seed of their order and the
// parameters that it may not write to.
void begin_emulated_call_in_python(std::uint64_t seed, const std::vector<std::string>& read_only);

// Folders that modules are imported from.
std::vector<std::string> python_folders();
// Programs that compilers of Python's packages need beside the system's.
std::vector<std::string> python_programs();

}  // namespace kbench
