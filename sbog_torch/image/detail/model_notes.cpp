// SPDX-License-Identifier: Apache-2.0
// Notes to text and back; see model_notes.h.
#include "sbog_torch/image/detail/model_notes.h"

#include <charconv>
#include <cstdlib>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"

namespace sbog::image::detail {

namespace {

// Files of the first models do not say what was kept apart.
void read_split(const Notes& notes, const std::string& path,
                ImageModel& model) {
  const auto share = notes.find("held_out");
  model.held_out = 0.0;
  model.split_seed = 0;
  if (share == notes.end()) return;
  model.held_out = std::strtod(share->second.c_str(), nullptr);
  model.split_seed =
      std::strtoull(note_of(notes, "split_seed", path).c_str(), nullptr, 10);
  if (!(model.held_out > 0.0 && model.held_out < 1.0)) {
    throw IoError(path, "the share that was held out is not between 0 and 1");
  }
}

}  // namespace

Notes model_notes(const ImageModel& model) {
  Notes notes = {{"images", checksum_hex(model.images)},
                 {"accuracy", full_digits(model.accuracy)},
                 {"epochs", std::to_string(model.epochs)},
                 {"robust", model.is_robust ? "1" : "0"}};
  if (model.held_out > 0.0) {
    notes["held_out"] = full_digits(model.held_out);
    notes["split_seed"] = std::to_string(model.split_seed);
  }
  return notes;
}

void read_model_notes(const Notes& notes, const std::string& path,
                      ImageModel& model) {
  model.images =
      std::strtoull(note_of(notes, "images", path).c_str(), nullptr, 16);
  model.accuracy =
      std::strtod(note_of(notes, "accuracy", path).c_str(), nullptr);
  model.epochs =
      std::strtoull(note_of(notes, "epochs", path).c_str(), nullptr, 10);
  model.is_robust = note_of(notes, "robust", path) == "1";
  read_split(notes, path, model);
}

std::string note_of(const Notes& notes, const std::string& key,
                    const std::string& path) {
  const auto found = notes.find(key);
  if (found == notes.end()) {
    throw IoError(path, "there is no metadata entry " + key +
                            ", which an image model has");
  }
  return found->second;
}

std::size_t count_of(const Notes& notes, const std::string& key,
                     std::size_t most, const std::string& path) {
  const std::string text = note_of(notes, key, path);
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end || value == 0 || value > most) {
    throw IoError(path, "the metadata entry " + key +
                            " is not a number from 1 to " +
                            std::to_string(most));
  }
  return value;
}

void require_classes(const ImageSet& images, const std::string& caller) {
  check_images(images, caller);
  if (images.labels.empty() || class_count(images) < 2) {
    throw InvalidArgument(caller +
                          ": images of at least two classes are expected; name "
                          "their labels");
  }
}

std::vector<std::string> names_of(const ImageSet& images) {
  std::vector<std::string> names = images.class_names;
  names.resize(class_count(images));
  return names;
}

void name_sources(const std::vector<std::size_t>& rows, FeatureBank& bank) {
  for (std::int64_t& source : bank.sources) {
    source = static_cast<std::int64_t>(rows[static_cast<std::size_t>(source)]);
  }
}

}  // namespace sbog::image::detail
