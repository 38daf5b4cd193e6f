#include "judge/record.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/digest.hpp"
#include "build/emulated.hpp"
#include "judge/equipment.hpp"
#include "measure/machine/identity.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/safetensors.hpp"
#include "sandbox/cgroup.hpp"
#include "schema/record_signature.hpp"
#include "schema/to_json.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// Hashes the tensor that an input names; it may be gone, or another than before.
std::string tensor_digest(const SafetensorsInput& input, const std::filesystem::path& root) {
  Diagnostics ignored;  // readers of its values report them
  const StoredPlace place = stored_place(root, input.path);
  if (!place.problem.empty()) return "absent";
  const auto file = SafetensorsFile::open(place.file, ignored);
  const StoredTensor* tensor = file ? file->find(input.tensor_key) : nullptr;
  if (tensor == nullptr || !tensor->dtype) return "absent";
  const TensorView view = file->view(*tensor);
  std::string text = tensor->dtype_name;
  for (const std::int64_t length : tensor->shape) text += fmt::format(" {}", length);
  return text + " " + content_digest({reinterpret_cast<const char*>(view.data), view.bytes});
}

// Configuration as it was said, and nothing of kbench's own choice: that may be another for each
// workload, and tolerances for each rule.
std::string given_config(const ResolvedConfig& config) {
  Json out = Json::parse(to_json(config));
  const std::pair<const char*, bool> choices[] = {{"warmup_runs", config.warmup_given},
                                                  {"iterations", config.iterations_given},
                                                  {"num_trials", config.trials_given},
                                                  {"rtol", config.rtol_given},
                                                  {"atol", config.atol_given}};
  for (const auto& [key, given] : choices) {
    if (!given) out.erase(key);
  }
  for (auto it = out.begin(); it != out.end();) it = it->is_null() ? out.erase(it) : std::next(it);
  return out.dump();
}

// Settings of the run, as far as they concern such a solution.
JudgeSettings settings_of(const RunOptions& options, const Definition& definition,
                          const Solution& solution) {
  JudgeSettings settings = options.judge;
  settings.config =
      RawJson{given_config(resolve(options.config, definition.op_type, definition.name))};
  settings.timeout_seconds = options.config.timeout_seconds;
  settings.sanitize = name_of(of_language(sanitizers_of(options.judge), solution.spec.language));
  settings.rotate = settings.rotate && wants_gpu(solution);
  settings.lock_clocks = settings.lock_clocks && wants_gpu(solution);
  return settings;
}

// All that must be the same for a record to stand. The machine need not be: its name is another in
// every container. Its CPU must be, since times are its own.
std::string ground(const Evaluation& evaluation) {
  const Details& details = *evaluation.kbench;
  Evaluation only;
  only.environment.hardware = evaluation.environment.hardware;
  for (const auto& [library, version] : evaluation.environment.libs) {
    if (library != "compiler") only.environment.libs[library] = version;  // basis.compiler
  }
  only.kbench = Details{};
  only.kbench->rule = details.rule;
  only.kbench->trust = details.trust;
  only.kbench->isolation = details.isolation;
  only.kbench->seed = details.seed;
  only.kbench->basis = details.basis;
  if (only.kbench->basis) only.kbench->basis->machine = "";
  only.kbench->settings = details.settings;
  return to_json(only, Dump::full);
}

}  // namespace

std::string content_hash(const Definition& definition) {
  return sha256_hex(to_json(definition, Dump::full));
}

std::string content_hash(const Solution& solution) {
  return sha256_hex(to_json(solution, Dump::full));
}

std::string content_hash(const Workload& workload, const std::filesystem::path& root) {
  std::string text = to_json(workload, Dump::full);
  for (const auto& [name, input] : workload.inputs) {
    if (const auto* stored = std::get_if<SafetensorsInput>(&input))
      text += "\n" + tensor_digest(*stored, root);
  }
  return sha256_hex(text);
}

Recorder::Recorder(const RunOptions& options, std::filesystem::path root)
    : options_(options),
      root_(std::move(root)),
      environment_(describe_environment()),
      machine_(sha256_hex(machine_identity()).substr(0, 16)) {
  toolchain_.sanitizers = sanitizers_of(options.judge);
  if (options.emulation) toolchain_.emulation = emulation_kit();
  if (options.worker_limits.isolation == Isolation::limits) return;
  if (const CgroupPlace* groups = cgroups_here())
    environment_.libs["cgroup"] = groups->version == 2 ? "v2" : "v1";
}

void Recorder::set_compiler(const std::string& version) {
  if (!version.empty()) environment_.libs["compiler"] = version;
}

void Recorder::set_nvcc(const std::string& version) { nvcc_ = version; }

void Recorder::set_nvrtc(const std::string& version) { nvrtc_ = version; }

const std::string& Recorder::device_compiler(const Solution& solution) const {
  static const std::string none;
  if (solution.spec.language != Language::cuda) return none;
  return solution.spec.launch ? nvrtc_ : nvcc_;
}

void Recorder::stamp_gpu(Evaluation& evaluation, const Solution& solution, const Gpu* gpu) const {
  Details& details = *evaluation.kbench;
  const std::string& compiler = device_compiler(solution);
  if (!compiler.empty())
    evaluation.environment.libs[solution.spec.launch ? "nvrtc" : "nvcc"] = compiler;
  if (gpu == nullptr) return;
  evaluation.environment.hardware = gpu->name;
  evaluation.environment.libs["cuda_driver"] = gpu->driver;
  details.gpu = GpuRecord{gpu->name,
                          gpu->architecture,
                          gpu->driver,
                          gpu->memory_bytes,
                          sha256_hex(gpu->uuid).substr(0, 16),
                          {}};
}

void Recorder::set_torch_version(const std::string& version) {
  environment_.libs["torch"] = version;
}

const std::string& Recorder::hash(const Definition& definition) {
  std::string& known = hashes_[&definition];
  if (known.empty()) known = content_hash(definition);
  return known;
}

const std::string& Recorder::hash(const Solution& solution) {
  std::string& known = hashes_[&solution];
  if (known.empty()) known = content_hash(solution);
  return known;
}

const std::string& Recorder::hash(const Workload& workload) {
  std::string& known = hashes_[&workload];
  if (known.empty()) known = content_hash(workload, root_);
  return known;
}

// Times of a solution that was on a GPU are those of that, and are another machine's where it is
// another.
Basis Recorder::basis_of(const Job& job, const Solution& solution, const Gpu* gpu) {
  Basis basis;
  basis.definition = hash(*job.definition);
  basis.workload = hash(job.workload->record.workload);
  basis.solution = hash(solution);
  basis.flags = build_flags(solution, toolchain_);
  const std::string* compiler = environment_.libs.find("compiler");
  if (compiler != nullptr && !basis.flags.empty()) basis.compiler = *compiler;
  basis.machine = machine_;
  if (options_.configurator) {
    if (std::string name = options_.configurator->prepare_of(solution); !name.empty())
      basis.prepare = std::move(name);
    if (std::string digest = options_.configurator->conditions_of(solution); !digest.empty())
      basis.conditions = std::move(digest);
  }
  if (!wants_gpu(solution)) return basis;
  if (!device_compiler(solution).empty()) basis.compiler = device_compiler(solution);
  if (gpu != nullptr) basis.machine = sha256_hex(machine_ + gpu->uuid).substr(0, 16);
  return basis;
}

std::string Recorder::label(const Job& job, const Solution& solution, const Gpu* gpu) {
  const auto configuration =
      options_.configurator ? options_.configurator->record_of(job, solution) : std::nullopt;
  if (configuration && configuration->label) return *configuration->label;
  return stamp_label(
      {job.definition->name, solution.name, "0", basis_key(basis_of(job, solution, gpu))});
}

void Recorder::stamp(Evaluation& evaluation, const Job& job, const Solution& solution,
                     const Gpu* gpu) {
  evaluation.environment = environment_;
  if (!evaluation.kbench) evaluation.kbench = Details{};
  Details& details = *evaluation.kbench;
  details.rule = options_.rule;
  details.isolation = letter(options_.worker_limits.isolation);
  if (!options_.audit) details.seed = std::to_string(options_.seed);  // a secret one is known
  details.solution_hash = solution_hash(solution);
  details.basis = basis_of(job, solution, gpu);
  if (options_.stamps) details.label = label(job, solution, gpu);
  if (options_.kernel_of) details.kernel = options_.kernel_of(job, solution);
  if (options_.configurator)
    details.configuration = options_.configurator->record_of(job, solution);
  if (options_.run_of) details.run = options_.run_of(job, solution);
  details.settings = settings_of(options_, *job.definition, solution);
  if (wants_gpu(solution)) stamp_gpu(evaluation, solution, gpu);
}

bool Recorder::stands(const Evaluation& record, const Job& job, const Solution& solution,
                      const Gpu* gpu) {
  if (!record.kbench) return true;
  if (!record.kbench->basis) return false;
  // An audit of fewer calls than are asked for is none of those.
  const auto& audited = record.kbench->audit;
  if (options_.audit && audited && audited->calls < options_.audit->sets) return false;
  Evaluation now;
  now.kbench = Details{};
  // Secret seeds are never the same, and none of them is better than another.
  const bool is_secret = options_.audit && options_.audit->secret_seed;
  now.kbench->trust = options_.audit ? "audit" : "plain";
  now.kbench->seed = is_secret ? record.kbench->seed : std::to_string(options_.seed);
  stamp(now, job, solution, record.kbench->gpu ? gpu : nullptr);
  return ground(now) == ground(record);
}

bool apply_settings(const Trace& record, RunOptions& options) {
  const auto& details = record.evaluation->kbench;
  if (!details || !details->settings || !details->settings->config) return false;
  const JudgeSettings& settings = *details->settings;
  const auto [end, error] = std::from_chars(
      details->seed.data(), details->seed.data() + details->seed.size(), options.seed);
  const bool is_known = find_choice(settings.evaluator) && find_engine(settings.engine);
  const VerdictRule* rule = find_rule(details->rule);
  if (error != std::errc() || !is_known || rule == nullptr) return false;
  Json of_definition = Json::parse(settings.config->text);
  Json config = {{"timeout_seconds", settings.timeout_seconds}};
  if (of_definition.contains("profile_baseline")) {
    config["profile_baseline"] = of_definition["profile_baseline"];
    of_definition.erase("profile_baseline");
  }
  config["definition_config"][record.definition] = std::move(of_definition);
  Diagnostics problems;
  const auto read = read_config({"", config.dump()}, problems);  // JSON is YAML
  if (!read) return false;
  options.config = *read;
  options.rule = rule->name;
  set_judge(options, settings);
  return true;
}

void note_compilers(const std::vector<Job>& jobs, const Toolchain& toolchain, Recorder& recorder) {
  recorder.set_compiler(compiler_version(toolchain));
  bool any_by_nvcc = false, any_by_nvrtc = false;
  if (toolchain.emulation) return;  // the emulation's is that of C++
  for (const Job& job : jobs)
    for (const Solution* solution : job.solutions)
      if (solution->spec.language == Language::cuda)
        (solution->spec.launch ? any_by_nvrtc : any_by_nvcc) = true;
  if (any_by_nvcc) recorder.set_nvcc(nvcc_version(toolchain));
  if (any_by_nvrtc) recorder.set_nvrtc(nvrtc_version(toolchain));
}

}  // namespace kbench
