// The tables of fields of all records (schema/field.hpp): for what reads, writes and describes
// them.
#pragma once

#include "schema/compiled_fields.hpp"
#include "schema/config_fields.hpp"
#include "schema/configuration_fields.hpp"
#include "schema/definition_fields.hpp"
#include "schema/detail_record_fields.hpp"
#include "schema/details_fields.hpp"
#include "schema/gate_policy_fields.hpp"
#include "schema/judge_settings_fields.hpp"
#include "schema/plan_file_fields.hpp"
#include "schema/solution_fields.hpp"
#include "schema/trace_fields.hpp"
#include "schema/tuned_entry_fields.hpp"
