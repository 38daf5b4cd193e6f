// The plugin kbench-python: a CPython interpreter inside kbench-torch, that of the environment
// which LibTorch is from. Everything in kbench that includes Python's headers is in this folder.
#include <ATen/core/Dict.h>
#include <ATen/core/jit_type.h>
#include <dlfcn.h>
#include <link.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_headers.h>

#include <filesystem>
#include <kbench_glue.hpp>
#include <stdexcept>
#include <utility>

#include "torch/serving/python_plugin.hpp"

namespace py = pybind11;
namespace fs = std::filesystem;

namespace kbench {
namespace {

py::object to_python(const c10::IValue& value) {
  if (value.isTensor())
    return py::reinterpret_steal<py::object>(THPVariable_Wrap(value.toTensor()));
  if (value.isBool()) return py::bool_(value.toBool());
  if (value.isInt()) return py::int_(value.toInt());
  return py::float_(value.toDouble());
}

c10::IValue to_ivalue(py::handle value);

c10::IValue to_tuple(py::handle values) {
  std::vector<c10::IValue> elements;
  for (const py::handle element : values) elements.push_back(to_ivalue(element));
  return c10::ivalue::Tuple::create(std::move(elements));
}

c10::IValue to_dict(py::handle value) {
  c10::impl::GenericDict out(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [key, element] : py::reinterpret_borrow<py::dict>(value)) {
    if (py::isinstance<py::str>(key)) out.insert(key.cast<std::string>(), to_ivalue(element));
  }
  return out;
}

// What a function returned. None stays None: the judge names the output.
c10::IValue to_ivalue(py::handle value) {
  PyObject* object = value.ptr();
  if (THPVariable_Check(object)) {
    const at::Tensor& tensor = THPVariable_Unpack(object);
    return at::GradMode::is_enabled() ? tensor : tensor.detach();
  }
  if (value.is_none()) return {};
  if (PyBool_Check(object)) return value.cast<bool>();
  if (PyLong_Check(object)) return value.cast<std::int64_t>();
  if (PyFloat_Check(object)) return value.cast<double>();
  if (PyTuple_Check(object) || PyList_Check(object)) return to_tuple(value);
  if (PyDict_Check(object)) return to_dict(value);
  const std::string type = py::str(py::type::of(value).attr("__name__"));
  throw RaisedError("it returned a " + type + ", not a tensor", 0);
}

// pybind11's copy of a Python exception, as the reference's author knows it.
// `describe` is the glue's, for what was loaded.
RaisedError raised(const py::object& describe, const py::error_already_set& error) {
  if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
  py::object value = error.value();
  if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  const auto [text, line] = describe(value).cast<std::pair<std::string, int>>();
  return {text, line};
}

class Function : public ReferenceFunction {
 public:
  Function(py::object run, py::object describe)
      : run_(std::move(run)), describe_(std::move(describe)) {}

  c10::IValue call(const std::vector<c10::IValue>& arguments) override {
    py::tuple values(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) values[i] = to_python(arguments[i]);
    try {
      return to_ivalue(run_(*values));
    } catch (const py::error_already_set& error) {
      throw raised(describe_, error);
    }
  }

  void run_outside(const std::function<void()>& work) override {
    const py::gil_scoped_release unlocked;
    work();
  }

 private:
  py::object run_, describe_;
};

class Interpreter : public PythonPlugin {
 public:
  explicit Interpreter(py::module_ glue) : glue_(std::move(glue)) {}

  std::unique_ptr<ReferenceFunction> load(const ReferenceRequest& request,
                                          const ReferenceLoadOptions& options) override {
    std::vector<std::string> names;
    for (const ReferenceArgument& input : request.inputs) names.push_back(input.name);
    const bool is_exact = options.arithmetic == Arithmetic::exact;
    return load(glue_.attr("Reference"),
                py::make_tuple(request.reference, names, is_exact, options.differentiable,
                               options.records_limits, std::string(called_function(request.kind))));
  }

  std::vector<std::string> module_folders() override {
    return py::module_::import("sys").attr("path").cast<std::vector<std::string>>();
  }

  std::unique_ptr<ReferenceFunction> load_candidate(const HostRequest& request) override {
    return load(glue_.attr("Candidate"),
                py::make_tuple(request.folder, request.file, request.function, request.parameters,
                               request.outputs, request.emulated_seconds));
  }

  void begin_emulated_call(std::uint64_t seed, const std::vector<std::string>& read_only) override {
    glue_.attr("begin_emulated_call")(seed, read_only);
  }

 private:
  // A class of the glue: made first, then loaded, so that it can describe why it does not load.
  std::unique_ptr<ReferenceFunction> load(const py::object& kind, const py::tuple& what) {
    if (!std::exchange(after_fork_, true)) PyOS_AfterFork_Child();
    const py::object made = kind(*what);
    const py::object describe = made.attr("describe");
    try {
      return std::make_unique<Function>(made.attr("load")(), describe);
    } catch (const py::error_already_set& error) {
      throw raised(describe, error);
    }
  }

  py::module_ glue_;
  bool after_fork_ = false;
};

// <environment>/bin/python3 of <environment>/lib/python3.x/site-packages/torch/lib/libtorch_cpu.so
fs::path environment_python() {
  void* library = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  link_map* where = nullptr;
  ::dlinfo(library, RTLD_DI_LINKMAP, &where);
  fs::path folder = fs::canonical(where->l_name).parent_path();
  for (int up = 0; up < 5; ++up) folder = folder.parent_path();
  return folder / "bin" / "python3";
}

void check(PyStatus status) {
  if (PyStatus_Exception(status) != 0)
    throw std::runtime_error(status.err_msg != nullptr ? status.err_msg : "unknown error");
}

// Isolated: no environment variable, no user's folder and no current directory has a say.
void start_interpreter(const fs::path& python) {
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.write_bytecode = 0;
  check(PyConfig_SetBytesString(&config, &config.program_name, python.c_str()));
  check(PyConfig_SetBytesString(&config, &config.executable, python.c_str()));
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  check(status);
}

py::module_ make_glue() {
  py::module_ glue = py::module_::create_extension_module("kbench_glue", "", new PyModuleDef());
  py::dict names = glue.attr("__dict__");
  names["__builtins__"] = py::module_::import("builtins");
  py::dict emulation;
  for (const auto& [name, text] : emulation_texts) emulation[name] = text;
  names["EMULATION"] = emulation;
  const py::object code =
      py::module_::import("builtins").attr("compile")(glue_text, "kbench/glue.py", "exec");
  py::module_::import("builtins").attr("exec")(code, names);
  return glue;
}

}  // namespace
}  // namespace kbench

extern "C" __attribute__((visibility("default"))) kbench::PythonPlugin* kbench_python_plugin() {
  using namespace kbench;
  start_interpreter(environment_python());
  try {
    static Interpreter* interpreter = new Interpreter(make_glue());  // lives as long as the process
    return interpreter;
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(error.what());
  }
}
