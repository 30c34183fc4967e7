// SPDX-License-Identifier: Apache-2.0
// A certificate in plain English.
#pragma once

#include <string>
#include <vector>

#include "sbog/certify/certificate.h"

namespace sbog {

/// What the certificate says, one sentence each, the most important first, for
/// example: "With 4,000 reference points, 54 % of the 400 accepted outliers are
/// certified at 95 %; 16,000 would certify about 81 %." Reads the totals, which
/// must be those of total_certificate.
std::vector<std::string> plain_sentences(const Certificate& certificate);

}  // namespace sbog
