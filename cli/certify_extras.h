// SPDX-License-Identifier: Apache-2.0
// Beside a certificate: what the paper's theorems and ours say about the same
// numbers, and diagnostics that sample again.
#pragma once

#include <nlohmann/json.hpp>

#include "certify_inputs.h"
#include "sbog/certify/certificate.h"

namespace sbog::cli {

/// Calculators of the theorems: required counts, Hoeffding, k-NN and uniform
/// bound, each saying "vacuous" with the reason where it is.
template <typename T>
nlohmann::ordered_json calculators_json(const CertifyInputs<T>& inputs,
                                        const Certificate& certificate,
                                        const Context& context);

/// Flip rate at 256, coupled bootstrap and coverage of the anchors; null where
/// there is nothing to sample again.
template <typename T>
nlohmann::ordered_json diagnostics_json(const CertifyInputs<T>& inputs,
                                        std::size_t replicates,
                                        const Context& context);

}  // namespace sbog::cli
