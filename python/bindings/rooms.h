// SPDX-License-Identifier: Apache-2.0
// One function per room of the library; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace sbog::python {

void bind_energy(nanobind::module_& module);
void bind_sample(nanobind::module_& module);
void bind_dro(nanobind::module_& module);
void bind_certify(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_oracle(nanobind::module_& module);
void bind_explore(nanobind::module_& module);
void bind_stress(nanobind::module_& module);
void bind_job(nanobind::module_& module);

}  // namespace sbog::python
