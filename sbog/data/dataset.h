// SPDX-License-Identifier: Apache-2.0
// One way to read an array, whatever the format of its file.
#pragma once

#include <cstdint>
#include <string>

#include "sbog/data/array.h"
#include "sbog/data/csv.h"

namespace sbog {

/// The formats that can be read.
enum class FileFormat { kNpy, kNpz, kCsv, kIdx, kSafetensors };

/// How to read an array.
struct ReadOptions {
  CsvOptions csv;  ///< for tables only
  /// What a compressed file may grow to.
  std::uint64_t max_inflated_bytes = kDefaultMaxInflatedBytes;
};

/// The format of a file: by its extension (.npy, .npz, .csv, .txt, .idx,
/// .gz, a name ending in "-ubyte", .safetensors), else by its first bytes.
/// Throws IoError when neither tells.
FileFormat detect_format(const std::string& path);

/// Reads "FILE" or, for npz and safetensors, "FILE:NAME". Without a name such
/// a file must hold exactly one array. A spec that is the path of a file is
/// taken as that, colon or not. Throws IoError and InvalidArgument.
Array read_array(const std::string& spec, const ReadOptions& options = {});

}  // namespace sbog
