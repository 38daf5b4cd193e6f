// What the importer answers: records and notes, judged as what anybody may have written.
#pragma once

#include "import/imported.hpp"

namespace kbench {

// Reads the records of an answer by the schema; what is wrong with one is said where the user's
// file has what it was made of. Throws std::runtime_error where it is no answer.
void read_importer_answer(const json::Value& answer, Imported& imported);

}  // namespace kbench
