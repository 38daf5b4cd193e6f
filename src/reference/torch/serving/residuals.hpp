// From what a reference's check() returned or asserted to what is wrong with a candidate's outputs.
#pragma once

#include <ATen/core/ivalue.h>

#include "problem/reference_protocol.hpp"

namespace kbench {

// A bool, or a residual in its tolerances: a floating number or a tensor of them, or a tuple, list
// or dict of such. Outputs are right where each is at most 1 away from 0, which NaN is not. Throws
// RaisedError where it returned anything else.
ReferenceReply judged_by_residuals(const c10::IValue& returned);

// An assertion that failed in check() says what is wrong with the outputs; any other failure is the
// check's own, and stays one.
ReferenceReply judged_by_assertion(ReferenceReply failure);

}  // namespace kbench
