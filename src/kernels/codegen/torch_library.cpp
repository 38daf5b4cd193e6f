// Operator library of PyTorch: its operators and its files.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/operators/rules.hpp"

namespace kbench {
namespace {

struct TorchInput {
  std::vector<GeneratedOperator> cpu;
  std::vector<GeneratedOperator> gpu;
  std::vector<GeneratedOperator> all;  // operators, each once
  const CodegenInput& given;
  std::string library;
  Diagnostics& diagnostics;
};

struct TorchLibraryFile {
  std::string_view name;
  bool (*is_wanted)(const TorchInput& input);
  std::string (*text)(const TorchInput& input);
};

const TorchDispatch on_cpu = {"CPU", "Functions.h", {}};
const TorchDispatch on_cuda = {
    "CUDA", "CUDAFunctions.h", {"CUDANativeFunctions.h", "torch::executor_cuda"}};

bool has_cpu(const TorchInput& in) { return !in.cpu.empty(); }
bool has_gpu(const TorchInput& in) { return !in.gpu.empty(); }
bool always(const TorchInput&) { return true; }

constexpr TorchLibraryFile torch_library_files[] = {
    {"NativeFunctions.h", &has_cpu,
     [](const TorchInput& in) { return native_functions_text(in.cpu); }},
    {"Functions.h", &has_cpu,
     [](const TorchInput& in) { return functions_text(in.cpu, on_cpu.place); }},
    {"CUDANativeFunctions.h", &has_gpu,
     [](const TorchInput& in) { return native_functions_text(in.gpu); }},
    {"CUDAFunctions.h", &has_gpu,
     [](const TorchInput& in) { return functions_text(in.gpu, on_cuda.place); }},
    {"RegisterSchema.cpp", &always,
     [](const TorchInput& in) { return torch_schema_text(in.all, in.library); }},
    {"RegisterCPU.cpp", &has_cpu,
     [](const TorchInput& in) { return torch_kernels_text(in.cpu, in.library, on_cpu); }},
    {"RegisterCUDA.cpp", &has_gpu,
     [](const TorchInput& in) { return torch_kernels_text(in.gpu, in.library, on_cuda); }},
    {"RegisterMeta.cpp", &always,
     [](const TorchInput& in) {
       return torch_meta_text(in.all, in.given, in.library, in.diagnostics);
     }},
};

// Returns the part that LibTorch's parser of schemas, unlike PyTorch's code generator, does not
// read: lists of lists of a certain length, and the defaults inf and nan of a float; else "".
std::string unread(const ops::Argument& argument) {
  const auto& modifiers = argument.type.modifiers;
  for (std::size_t i = 0; i + 1 < modifiers.size(); ++i) {
    if (modifiers[i].size && modifiers[i + 1].kind == ops::Modifier::Kind::list)
      return ops::text(argument.type);
  }
  const std::string value = argument.default_value.value_or("");
  const bool is_float = argument.type.base == ops::BaseType::floating;
  return is_float && value.find_first_of("fa") != std::string::npos ? "the default " + value : "";
}

// Says why PyTorch cannot have an operator; "" where it can.
std::string why_not_in_torch(const SelectedKernel& one) {
  const ops::Schema& schema = one.entry->schema;
  for (const ops::Argument* argument : ops::arguments_of(schema)) {
    const std::string what = unread(*argument);
    if (!what.empty())
      return fmt::format("{}: PyTorch does not read {} of {}", ops::full_name(schema.name), what,
                         argument->name);
  }
  return "";
}

std::vector<GeneratedOperator> operators_on(std::string_view device,
                                            const std::vector<SelectedKernel>& kernels,
                                            const FunctionNames& names, Diagnostics& diagnostics) {
  std::vector<SelectedKernel> here;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(here),
               [&](const SelectedKernel& one) {
                 return one.kernel->backend.is_any() || one.kernel->backend.device == device;
               });
  return operators_with(here, diagnostics, names);
}

// Operators of aten and of the library can come to have one name.
void check_library(const TorchInput& in) {
  if (in.library == "aten" || in.library == "prim" || in.library == "prims")
    in.diagnostics.error({in.library},
                         "operators of a library cannot be in a namespace of PyTorch's own",
                         "--lib-name NAME");
  const auto name_of = [&](const GeneratedOperator& one) {
    return ops::full_name(torch_name(one, in.library));
  };
  check_names(in.all, name_of, "--lib-name NAME", in.diagnostics);
}

}  // namespace

GeneratedCode generate_torch_library(const CodegenInput& input, const CodegenOptions& options,
                                     Diagnostics& diagnostics) {
  constexpr std::string_view devices[] = {"cpu", "gpu"};
  const auto kernels = servable(callable_kernels(input.kernels, devices, diagnostics),
                                &why_not_in_torch, diagnostics);
  const FunctionNames names = function_names(input.all);
  Diagnostics said;  // kernels for one device go before those for another, too
  const TorchInput in{operators_on("cpu", kernels, names, diagnostics),
                      operators_on("gpu", kernels, names, diagnostics),
                      operators_with(kernels, said, names),
                      input,
                      options.library,
                      diagnostics};
  check_library(in);
  std::vector<GeneratedFile> files;
  for (const TorchLibraryFile& row : torch_library_files)
    if (row.is_wanted(in)) files.push_back({std::string(row.name), row.text(in)});
  return {std::move(files), count_kernels(in.cpu, in.gpu)};
}

// RegisterSchema.cpp, RegisterCPU.cpp and RegisterCUDA.cpp.

namespace {

constexpr std::string_view opening = "\nnamespace {\n\nusing namespace kbench::torch_library;\n";

std::string kind_text(const ops::Schema& schema) {
  const auto kind = ops::kind_of(schema);
  const auto is_written = [](const ops::Argument& one) { return one.is_write(); };
  const bool writes_more =
      std::any_of(schema.positional.begin(), schema.positional.end(), is_written);
  if (kind == ops::SchemaKind::out && !writes_more) return "Kind::out";
  return kind == ops::SchemaKind::in_place ? "Kind::in_place" : "Kind::other";
}

// Returns the begin of the function that calls a kernel.
std::string prelude(const TorchDispatch& dispatch) {
  std::string out = fmt::format("  Call call(op, *stack, c10::DeviceType::{});\n", dispatch.key);
  if (dispatch.key == "CUDA")
    out +=
        "  const c10::DeviceGuard guard(call.device());\n"
        "  call.context().set_stream(\n"
        "      c10::cuda::getCurrentCUDAStream(call.device().index()).stream());\n";
  return out;
}

std::string boxed_text(const GeneratedOperator& one, const TorchDispatch& dispatch) {
  const ops::Schema& schema = one.entry->schema;
  return fmt::format(
      "\n// {}\nvoid call_{}(const c10::OperatorHandle& op, torch::jit::Stack* stack) {{\n"
      "{}{}  call.give({{{}}});\n}}\n",
      comment_in_cpp(ops::text(schema)), one.identifier, prelude(dispatch),
      held_call_text(schema, dispatch_symbol(one, dispatch.place.name_space)),
      numbers_text(*returned_arguments(schema)));
}

// Blocks of a macro of PyTorch, one for each namespace.
class Blocks {
 public:
  void add(const std::string& name_space, const std::string& line) { lines_[name_space] += line; }

  // `head`: "TORCH_LIBRARY_FRAGMENT({}, m)".
  std::string text(const std::string& head) const {
    std::string out;
    for (const auto& [name, lines] : lines_)
      out += fmt::format("\n{} {{\n{}}}\n", fmt::format(fmt::runtime(head), name), lines);
    return out;
  }

 private:
  std::map<std::string, std::string> lines_;
};

}  // namespace

ops::OperatorName torch_name(const GeneratedOperator& one, const std::string& library) {
  ops::OperatorName name = one.entry->schema.name;
  if (name.name_space == "aten") name.name_space = library;
  return name;
}

std::string implementations_text(const std::vector<GeneratedOperator>& operators,
                                 const std::string& library, const std::string& key,
                                 const std::string& function) {
  Blocks blocks;
  for (const GeneratedOperator& one : operators) {
    const ops::OperatorName name = torch_name(one, library);
    blocks.add(name.name_space,
               fmt::format("  m.impl({}, torch::CppFunction::makeFromBoxedFunction<&{}>());\n",
                           quoted_in_cpp(ops::text_without_namespace(name)),
                           fmt::format(fmt::runtime(function), one.identifier)));
  }
  return blocks.text("TORCH_LIBRARY_IMPL({}, " + key + ", m)");
}

std::string torch_schema_text(const std::vector<GeneratedOperator>& operators,
                              const std::string& library) {
  Blocks blocks;
  for (const GeneratedOperator& one : operators) {
    ops::Schema schema = one.entry->schema;
    schema.name.name_space = "";  // name of the block
    blocks.add(torch_name(one, library).name_space,
               fmt::format("  m.def({}, tags_of({}));\n", quoted_in_cpp(ops::text(schema)),
                           kind_text(one.entry->schema)));
  }
  return generated_banner() +
         "// Defines the operators.\n#include \"kbench_torch.h\"\n\n"
         "using namespace kbench::torch_library;\n" +
         blocks.text("TORCH_LIBRARY_FRAGMENT({}, m)") +
         implementations_text(operators, library, "Autograd", "refuse_gradients");
}

std::string torch_kernels_text(const std::vector<GeneratedOperator>& operators,
                               const std::string& library, const TorchDispatch& dispatch) {
  std::string out = generated_banner() + "// Calls the kernels with PyTorch's arguments.\n" +
                    "#include \"kbench_torch.h\"\n";
  if (dispatch.key == "CUDA")
    out += "#include <c10/core/DeviceGuard.h>\n#include <c10/cuda/CUDAStream.h>\n";
  out += fmt::format("#include \"{}\"\n{}", dispatch.functions, opening);
  for (const GeneratedOperator& one : operators) out += boxed_text(one, dispatch);
  return out + "\n}  // namespace\n" +
         implementations_text(operators, library, dispatch.key, "call_{}");
}

}  // namespace kbench
