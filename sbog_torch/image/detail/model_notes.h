// SPDX-License-Identifier: Apache-2.0
// What the files of image models say about themselves, whatever their encoder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sbog/image/image_set.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::image::detail {

using Notes = std::map<std::string, std::string>;

/// Checksum of the images, accuracy, epochs, whether it is robust, and which
/// images were kept apart.
Notes model_notes(const ImageModel& model);

/// Reads them into the model. Throws IoError.
void read_model_notes(const Notes& notes, const std::string& path,
                      ImageModel& model);

/// An entry. Throws IoError when it is missing.
std::string note_of(const Notes& notes, const std::string& key,
                    const std::string& path);

/// An entry as a number from 1 to `most`. Throws IoError.
std::size_t count_of(const Notes& notes, const std::string& key,
                     std::size_t most, const std::string& path);

/// Throws InvalidArgument, beginning with `caller`, unless there are images of
/// at least two classes.
void require_classes(const ImageSet& images, const std::string& caller);

/// One name per class; empty ones where none is known.
std::vector<std::string> names_of(const ImageSet& images);

/// Sources that are positions in `rows` become those rows.
void name_sources(const std::vector<std::size_t>& rows, FeatureBank& bank);

}  // namespace sbog::image::detail
