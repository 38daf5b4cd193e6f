#include "tune/t4_report.hpp"

#include "measure/statistics.hpp"

namespace kbench {
namespace {

constexpr double ms_of_ns = 1e-6;

T4Invalidity invalidity_of(Status status) {
  switch (status) {
    case Status::passed:
      return T4Invalidity::correct;
    case Status::compile_error:
      return T4Invalidity::compile;
    case Status::runtime_error:
      return T4Invalidity::runtime;
    case Status::timeout:
      return T4Invalidity::timeout;
    default:
      return T4Invalidity::correctness;
  }
}

std::optional<double> median_ms(const TuneRow& row) {
  if (row.median_ns) return *row.median_ns * ms_of_ns;
  if (row.samples_ns.empty()) return std::nullopt;
  return median_of(row.samples_ns) * ms_of_ns;
}

}  // namespace

std::vector<T4Result> t4_results_of(const TuneReport& report) {
  std::vector<T4Result> results;
  for (const TuneRow& row : report.rows) {
    T4Result result;
    result.configuration = row.configuration;
    result.invalidity = invalidity_of(row.status);
    if (result.invalidity == T4Invalidity::correct) {
      result.time = median_ms(row);
      if (!result.time) continue;
      for (const double ns : row.samples_ns) result.runtimes.push_back(ns * ms_of_ns);
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace kbench
