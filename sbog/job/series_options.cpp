// SPDX-License-Identifier: Apache-2.0
// See series_options.h.
#include "sbog/job/series_options.h"

#include "sbog/job/series_input.h"

namespace sbog::job {

OptionTable<SeriesSettings> series_option_table() {
  using S = SeriesSettings;
  OptionTable<S> table;
  table.stage("Series: windows and encoder");
  const auto add = [&](const char* name, auto member,
                       std::string help) -> OptionEntry<S>& {
    return table.add(name, member, std::move(help)).kinds(kForSeries);
  };
  add("time", &S::time, time_column_help()).value("COLUMN").without("detected");
  add("second_model", &S::second_model,
      "Another model of sbog train series: it says how odd each window is to "
      "an encoder that had no part in making it")
      .value("FILE");
  add("width", &S::width, "Number of rows of a window, at least 32").basic();
  add("stride", &S::stride,
      "Number of rows from one window to the next; 0: so that there are at "
      "most 5,000 windows");
  add("mid", &S::mid, "Number of channels of the encoder's first block");
  add("head", &S::head, "Number of coordinates of a window's embedding");
  table.stage("Series: edits");
  add("kinds", &S::kinds,
      "Kinds of edits that are allowed: level, trend, scale, noise, delay, "
      "frequency, coupling, oscillation, stuck")
      .value("NAMES")
      .without("all");
  add("channels", &S::channels, "Channels that may be edited")
      .value("NAMES")
      .without("all");
  add("classes", &S::classes,
      "Classes of channels where the data mislead, as "
      "channel=constant|discrete|event|continuous")
      .value("LIST")
      .without("from the data");
  add("law", &S::law,
      "Law of the targets: isotropic (noise around an anchor), tangent (where "
      "single edits lead), edit-first (random edits, quick; at a severity no "
      "encoder is trained), or auto (tangent when isotropic targets are hard "
      "to "
      "reach)")
      .choices({"auto", "isotropic", "tangent", "edit-first"});
  add("slots", &S::slots, "Number of edits of a window, at most");
  add("steps", &S::steps, "Number of refinement steps of the edits");
  add("redraws", &S::redraws,
      "Number of further targets when one cannot be reached; of images, "
      "how many times what is asked for is drawn again at most, where "
      "--outside-only or --severity turns images down");
  add("alternatives", &S::alternatives,
      "Number of other ways to the same point that are named, at most");
  add("outside_only", &S::outside_only,
      "Keep only windows or images that lie outside (images: of their class "
      "after decoding; further ones are drawn for those that do not). Of a "
      "series with --severity none: keep those that lie outside, but not where "
      "the target was, too")
      .flag();
  add("delay_discrete", &S::delay_discrete, "Allow delays of discrete channels")
      .flag();
  add("plots", &S::plots, "Number of windows to plot, from the first on");
  return table;
}

}  // namespace sbog::job
