// SPDX-License-Identifier: Apache-2.0
// A small generated series with an anomaly, for examples:
//   demo:series         1,200 ordinary rows of four channels
//   demo:series-test    600 more, with channel 2 off from row 350 to 399
//   demo:series-labels  1 for those rows
#pragma once

#include "sbog/data/array.h"

namespace sbog::job {

Array embedded_series();
Array embedded_series_test();
Array embedded_series_labels();

}  // namespace sbog::job
