// SPDX-License-Identifier: Apache-2.0
// The Python dict literal at the head of an npy file, read strictly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::detail {

/// What the header says, before it is understood.
struct NpyFields {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Accepts one dict with exactly the keys descr (a plain string), fortran_order
/// (True or False) and shape (a tuple of at most 32 non-negative integers), in
/// any order, followed by nothing but blanks. Everything else is an IoError
/// that begins with `name`.
NpyFields parse_npy_fields(std::string_view header, const std::string& name);

}  // namespace sbog::detail
