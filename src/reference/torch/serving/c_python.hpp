// What kbench-torch uses of CPython: functions of its stable ABI, which is one from Python 3.2 on,
// and two of torch's. They are weak: an interpreter that has loaded this library defines them, and
// elsewhere there are none.
#pragma once

#include <ATen/core/ivalue.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

struct _object;
using PyObject = _object;
struct _ts;  // a thread's state

namespace pybind11 {
struct handle {  // as torch's functions take it
  PyObject* object;
};
}  // namespace pybind11

#define KBENCH_OF_PYTHON __attribute__((weak))

// A new reference.
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
