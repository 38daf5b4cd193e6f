// JUnit's XML as Jenkins (its junit-plugin's schema) and GitLab read it.
#pragma once

#include <string>
#include <vector>

namespace kbench {

enum class JUnitOutcome { passed, failure, error, skipped };

struct JUnitCase {
  std::string suite;  // a definition
  std::string name;
  double seconds = 0;
  JUnitOutcome outcome = JUnitOutcome::passed;
  std::string type = {};       // of a failure or an error
  std::string message = {};    // its first line is shown beside the case
  std::string output = {};     // what was printed
  std::string timestamp = {};  // ISO 8601
};

// Suites in the order of their first cases.
std::string write_junit_cases(const std::vector<JUnitCase>& cases);

}  // namespace kbench
