// SPDX-License-Identifier: Apache-2.0
// See stress_images.h.
#include "sbog/job/stress_images.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/job/files.h"
#include "sbog/job/image_input.h"
#include "sbog/job/image_table.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/stress_windows.h"

namespace sbog::job {
namespace {

// What the run has decoded, of which `chosen` are the cases.
struct DecodedRun {
  std::vector<DecodedRow> rows;
  ImageSet images;
  ImageSet sources;
  std::vector<std::size_t> chosen;
};

DecodedRun read_decoded(const FinishedRun& run, Events& events) {
  DecodedRun decoded;
  decoded.rows = read_decoded_rows(run);
  const std::size_t count = decoded.rows.size();
  decoded.images = read_decoded_images(run, "images.npy", count);
  decoded.sources = read_decoded_images(run, "source-images.npy", count);
  for (std::size_t i = 0; i < count; ++i) {
    if (decoded.rows[i].is_outside != false) decoded.chosen.push_back(i);
  }
  if (decoded.chosen.empty()) {
    throw InvalidArgument("no decoded image of " + run.folder() +
                          " lies outside of its class, so that there is "
                          "nothing to ask; --outside-only of sbog generate "
                          "keeps drawing until some do");
  }
  const std::size_t inside = count - decoded.chosen.size();
  if (inside > 0) {
    events.on_note(with_commas(inside) + " of " + with_commas(count) +
                   " decoded images lie inside of their class and are no "
                   "cases");
  }
  return decoded;
}

void add_facts(const FinishedRun& run, const DecodedRun& decoded,
               StressInputs& inputs) {
  const RunOutliers<float> outliers = read_outliers<float>(run);
  const auto names = class_names_of(run);
  for (const std::size_t i : decoded.chosen) {
    const DecodedRow& row = decoded.rows[i];
    CaseFacts facts;
    facts.row = i;
    facts.outlier = row.outlier;
    facts.anchor_row = outliers.anchor_rows.at(row.outlier);
    facts.label = row.label;
    facts.class_name = names.at(row.label);
    inputs.facts.push_back(std::move(facts));
  }
  for (const auto& [label, name] : names) inputs.labels.push_back(label);
}

// The images of the run's input; nothing when they are not there any more.
std::optional<ImageSet> images_of_input(const FinishedRun& run) {
  const GenerateOptions made = given_options_of_run(run);
  Events quiet;  // how they were read was told when the run was made
  try {
    return load_images(run.found(run.input()), run.found(made.labels),
                       made.images.input, quiet);
  } catch (const IoError&) {
    return std::nullopt;
  } catch (const InvalidArgument&) {
    return std::nullopt;  // such as a file of labels that does not fit any more
  }
}

// Rows of the input that the cases were made from, each with one of the
// decoded rows that tell its image.
std::map<std::size_t, std::size_t> sources_of(const FinishedRun& run,
                                              const StressInputs& inputs) {
  const std::string path = run.file("bank_sources.npy");
  const std::vector<std::int64_t> sources = to_labels(read_npy(path));
  std::map<std::size_t, std::size_t> rows;
  for (const CaseFacts& facts : inputs.facts) {
    if (facts.anchor_row >= sources.size() || sources[facts.anchor_row] < 0) {
      throw IoError(path, "does not fit outliers.csv");
    }
    rows.emplace(static_cast<std::size_t>(sources[facts.anchor_row]),
                 facts.row);
  }
  return rows;
}

void check_input(const FinishedRun& run, const ImageSet& images,
                 const ImageSet& sources,
                 const std::map<std::size_t, std::size_t>& rows) {
  const bool is_same =
      images.shape == sources.shape &&
      std::ranges::all_of(rows, [&](const auto& entry) {
        return entry.first < images.count() &&
               std::ranges::equal(images.pixels.row(entry.first),
                                  sources.pixels.row(entry.second));
      });
  if (is_same) return;
  throw IoError(run.found(run.input()),
                "is not what the run in " + run.folder() + " was made from");
}

void take_images_of_run(const FinishedRun& run,
                        const StressInputOptions& options,
                        const DecodedRun& decoded, StressInputs& inputs) {
  const std::map<std::size_t, std::size_t> sources = sources_of(run, inputs);
  std::vector<std::size_t> source_rows;
  source_rows.reserve(sources.size());
  for (const auto& [row, image] : sources) source_rows.push_back(row);
  const std::optional<ImageSet> images = images_of_input(run);
  if (!images) {
    std::vector<std::size_t> own;
    own.reserve(sources.size());
    for (const auto& [row, image] : sources) own.push_back(image);
    own.resize(std::min(own.size(), options.control_count));
    inputs.controls = array_of_images(take(decoded.sources, own), "controls");
    inputs.control_words =
        with_commas(own.size()) + " images that cases were made from";
    return;
  }
  check_input(run, *images, decoded.sources, sources);
  const ControlChoice choice =
      choose_controls(source_rows, images->count(), options);
  std::vector<std::size_t> rows = choice.sources;
  rows.insert(rows.end(), choice.others.begin(), choice.others.end());
  inputs.controls = array_of_images(take(*images, rows), "controls");
  inputs.control_words = with_commas(choice.sources.size()) +
                         " images that cases were made from and " +
                         with_commas(choice.others.size()) +
                         " other images of the run";
}

void take_images_of_file(const FinishedRun& run,
                         const StressInputOptions& options,
                         const ImageShape& shape, StressInputs& inputs,
                         Events& events) {
  ImageInput reading;
  reading.side = given_options_of_run(run).images.input.side;
  const ImageSet images = load_images(options.controls, "", reading, events);
  if (images.shape != shape) {
    throw InvalidArgument("--controls: images of " + to_string(shape) +
                          " are expected, got " + to_string(images.shape));
  }
  const ControlChoice choice = choose_controls({}, images.count(), options);
  inputs.controls = array_of_images(take(images, choice.others), "controls");
  inputs.control_words =
      with_commas(choice.others.size()) + " images of " + options.controls;
}

}  // namespace

bool has_decoded_images(const FinishedRun& run) {
  return run.kind() == "image" && run.has_file("decoded/images.npy");
}

StressInputs load_image_cases(const FinishedRun& run,
                              const StressInputOptions& options,
                              Events& events) {
  StressInputs inputs;
  inputs.kind = Kind::kImages;
  const DecodedRun decoded = read_decoded(run, events);
  add_facts(run, decoded, inputs);
  inputs.rows_in_file = decoded.rows.size();
  inputs.cases = array_of_images(take(decoded.images, decoded.chosen), "cases");
  inputs.sorted.count = inputs.facts.size();
  sort_by_class(inputs);
  if (!options.wants_controls) return inputs;
  if (options.controls.empty()) {
    take_images_of_run(run, options, decoded, inputs);
  } else {
    take_images_of_file(run, options, decoded.images.shape, inputs, events);
  }
  return inputs;
}

Array array_of_images(const ImageSet& images, const std::string& name) {
  const std::size_t bytes = images.pixels.size();
  const std::shared_ptr<std::byte> copy(new std::byte[bytes + 1],
                                        std::default_delete<std::byte[]>());
  if (bytes > 0) std::memcpy(copy.get(), images.pixels.data(), bytes);
  return {name,
          ElementType::kUInt8,
          {images.count(), images.shape.channels, images.shape.height,
           images.shape.width},
          copy};
}

ImageSet images_of_cases(const Array& cases) {
  const std::vector<std::size_t>& shape = cases.shape();
  if (shape.size() != 4 || cases.type() != ElementType::kUInt8) {
    throw InvalidArgument("stress: images of 8 bits are expected");
  }
  ImageSet images;
  images.shape = {shape[1], shape[2], shape[3]};
  images.pixels = Matrix<std::uint8_t>(shape[0], images.shape.size());
  if (cases.byte_count() > 0) {
    std::memcpy(images.pixels.data(), cases.bytes(), cases.byte_count());
  }
  return images;
}

}  // namespace sbog::job
