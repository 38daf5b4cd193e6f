#include "reference/torch/serving/python.hpp"

#include <functional>
#include <new>
#include <utility>

#include "reference/torch/exact/exact_arithmetic.hpp"

namespace kbench {
namespace {

struct Glue {
  PythonObject module;
  PythonTypes types;
};

// Lives as long as the process: an interpreter that ends would take it along.
Glue* glue = nullptr;

// An exception as the author of what was loaded knows it. `describe` is the glue's.
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

// Others may have the interpreter's lock while it lives.
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
  InterpretedFunction(PythonObject run, PythonObject describe)
      : run_(std::move(run)), describe_(std::move(describe)) {}

  c10::IValue call(const std::vector<c10::IValue>& arguments) override {
    std::vector<PythonObject> values;
    values.reserve(arguments.size());
    for (const c10::IValue& argument : arguments) values.push_back(to_python(argument));
    try {
      return to_value(run_(std::move(values)), glue->types);
    } catch (const PythonError&) {
      throw raised(describe_);
    }
  }

  void run_outside(const std::function<void()>& work) override {
    const WithoutLock unlocked;
    work();
  }

 private:
  PythonObject run_, describe_;
};

// The process that forked this one knows nothing of Python. What is done before a fork can be done
// here as well, since one thread alone ever ran Python; without it 3.13 aborts, which lets go of a
// lock that only PyOS_BeforeFork() takes.
void leave_parent() {
  static bool is_after_fork = false;
  if (std::exchange(is_after_fork, true)) return;
  PyOS_BeforeFork();
  PyOS_AfterFork_Child();
}

// A class of the glue: made first, then loaded, so that it can describe why it does not load.
std::unique_ptr<ReferenceFunction> load(const char* kind, std::vector<PythonObject> what) {
  leave_parent();
  const PythonObject made = glue->module.attribute(kind)(std::move(what));
  const PythonObject describe = made.attribute("describe");
  try {
    return std::make_unique<InterpretedFunction>(made.attribute("load")({}), describe);
  } catch (const PythonError&) {
    throw raised(describe);
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
  return load(
      "Candidate",
      {python_text(request.folder), python_text(request.file), python_text(request.function),
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
