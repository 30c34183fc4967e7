// SPDX-License-Identifier: Apache-2.0
// A result on disk, OUT/NAME.json.gz. In memory every cell of a result has its
// whole "configuration"; on disk what cells have in common is written once:
//   "configurations": [whole ones], "cells": {KEY: {"configuration": index,
//   "changes": fields that differ from it, "result": ...}}.
#pragma once

#include <string>

#include "paper/table.h"

namespace sbog::paper {

/// The text of a result: one line per configuration and cell, so that two
/// results can be compared line by line.
std::string result_text(const Json& result);

/// Writes OUT/NAME.json.gz atomically; the same result gives the same bytes.
/// Throws IoError.
void write_result(const std::string& out, const std::string& name,
                  const Json& result);

/// OUT/NAME.json.gz or, where there is none, OUT/NAME.json; cells may hold
/// their whole configurations. Throws IoError when it is missing, damaged or
/// no result.
Json read_result(const std::string& out, const std::string& name);

}  // namespace sbog::paper
