// SPDX-License-Identifier: Apache-2.0
// The module sbog._core: the list of its rooms, and how errors are raised.
#include <exception>
#include <new>
#include <system_error>

#include "rooms.h"
#include "sbog/base/build_info.h"
#include "sbog/base/errors.h"

namespace nb = nanobind;

namespace {

// InvalidArgument is a std::invalid_argument, which nanobind raises as
// ValueError; files and memory need words of their own.
void raise_as_python(const std::exception_ptr& error, void* /*payload*/) {
  try {
    std::rethrow_exception(error);
  } catch (const sbog::IoError& failure) {
    PyErr_SetString(PyExc_OSError, failure.what());
  } catch (const std::system_error& failure) {
    PyErr_SetString(PyExc_OSError, failure.what());
  }
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of sbog; use the package above it.";
  nb::register_exception_translator(raise_as_python);
  module.attr("version") = sbog::build_version();
  module.attr("commit") = sbog::build_commit();
  sbog::python::bind_energy(module);
  sbog::python::bind_sample(module);
  sbog::python::bind_dro(module);
  sbog::python::bind_certify(module);
  sbog::python::bind_metrics(module);
  sbog::python::bind_oracle(module);
  sbog::python::bind_explore(module);
  sbog::python::bind_stress(module);
  sbog::python::bind_job(module);
}
