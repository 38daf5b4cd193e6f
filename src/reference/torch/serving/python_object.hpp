// Objects of the interpreter that this process is, and values of kbench's made of them.
#pragma once

#include <ATen/core/ivalue.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/torch/serving/c_python.hpp"

namespace kbench {

// Python has an exception set.
struct PythonError : std::runtime_error {
  PythonError() : std::runtime_error("Python raised an exception that nobody describes") {}
};

// A reference to an object, which it owns.
class PythonObject {
 public:
  // What a function of Python's returned. Throws PythonError for a null pointer.
  explicit PythonObject(PyObject* owned);
  PythonObject(const PythonObject& other);
  PythonObject(PythonObject&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PythonObject& operator=(PythonObject other) noexcept;
  ~PythonObject();

  static PythonObject borrowed(PyObject* object);

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

  // All throw PythonError.
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

// A tensor or a number.
PythonObject to_python(const c10::IValue& value);

// The types that a function may return, as the glue names them.
struct PythonTypes {
  explicit PythonTypes(const PythonObject& glue);
  PythonObject tensor, boolean, integer, floating, tuple, list, dict, text, none;
};

// What a function returned. None stays None: the judge names the output. Throws PythonError, and
// RaisedError where it is nothing that may be returned.
c10::IValue to_value(const PythonObject& object, const PythonTypes& types);

}  // namespace kbench
