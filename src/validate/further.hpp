// Mistakes of a trace set that FlashInfer-Bench's validator misses: files it does not look at,
// names that lead nowhere, workloads that cannot run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problem/bind.hpp"
#include "schema/definition.hpp"
#include "schema/scan.hpp"
#include "schema/trace.hpp"
#include "validate/checks.hpp"
#include "validate/index.hpp"
#include "validate/report.hpp"

namespace kbench {

// Messages go to reports[i] for files[i]; `soft` is the level of a mere suspicion.
struct FurtherInput {
  const std::filesystem::path& root;
  const std::vector<ScannedFile>& files;
  const DatasetIndex& index;
  Level soft = Level::warning;
};

// Notes files at a wrong depth, files and records of no definition, traces of no solution.
void note_names(const FurtherInput& input, std::vector<FileReport>& reports, ReportPlaces& places);

// Notes workloads of a definition with the uuid of another.
void note_uuids(const FurtherInput& input, std::vector<FileReport>& reports, ReportPlaces& places);

// Notes solutions that cannot be called, or launched.
void note_solutions(const FurtherInput& input, std::vector<FileReport>& reports,
                    ReportPlaces& places);

// Checks all workloads of a definition, and those in files that FlashInfer-Bench does not look at.
void check_workloads(const CheckInput& input, Diagnostics& out);
void note_unseen_workloads(const FurtherInput& input, std::vector<FileReport>& reports);

// Problem of a safetensors file that a workload names; "" when there is none.
struct BlobProblem {
  std::string message;
  std::string hint;
};

// Says why the tensor that an input names cannot be used, by the file's header alone.
BlobProblem blob_problem(const std::filesystem::path& root, const std::string& input,
                         const SafetensorsInput& source, const MaybeShape& expected);

// Says why its dtype is not the declared one; "" when it is, or when blob_problem has a message.
std::string blob_dtype_problem(const std::filesystem::path& root, const std::string& input,
                               const SafetensorsInput& source, DType expected);

}  // namespace kbench
