// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table; their number decides how it is asked for.
#include "fuzz_reader.h"
#include "sbog/data/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  sbog::CsvOptions options;
  if (size % 4 == 1) options.header = sbog::CsvHeader::kPresent;
  if (size % 4 == 2) options.header = sbog::CsvHeader::kAbsent;
  if (size % 4 == 3) options.columns = {"a", "0"};
  return sbog::fuzz::run(data, size, [&](auto bytes, const std::string& name) {
    const auto table = sbog::parse_csv(bytes, name, options);
    sbog::fuzz::require(table.values.rows() > 0 && table.values.cols() > 0);
    for (const double value : table.values.elements()) {
      sbog::fuzz::require(std::isfinite(value));
    }
  });
}
