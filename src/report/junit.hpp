// JUnit's XML as Jenkins (its junit-plugin's schema) and GitLab read it.
#pragma once

#include <string>
#include <string_view>
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

// Text as content of XML 1.0 and HTML.

// With what would be read as markup escaped, and control characters, most of which XML cannot hold
// (XML 1.0, section 2.2), as "\x1b". Line breaks stay.
std::string xml_text(std::string_view text);

}  // namespace kbench
