// SPDX-License-Identifier: Apache-2.0
// Banks of latents; see feature_bank.h.
#include "sbog_torch/image/feature_bank.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

// Up to n rows per class, class by class, each in the order of `order`.
std::vector<std::size_t> rows_by_class(std::span<const std::int32_t> labels,
                                       std::size_t class_count,
                                       const std::vector<std::size_t>& order,
                                       std::size_t per_class) {
  std::vector<std::vector<std::size_t>> classes(class_count);
  for (const std::size_t row : order) {
    auto& members = classes[static_cast<std::size_t>(labels[row])];
    if (members.size() < per_class) members.push_back(row);
  }
  std::vector<std::size_t> rows;
  for (const auto& members : classes) {
    rows.insert(rows.end(), members.begin(), members.end());
  }
  return rows;
}

// Labels, sources and counts of such rows.
void name_rows(const std::vector<std::size_t>& rows,
               std::span<const std::int32_t> labels, std::size_t class_count,
               FeatureBank& bank) {
  bank.counts.resize(class_count);
  for (const std::size_t row : rows) {
    bank.labels.push_back(labels[row]);
    bank.sources.push_back(static_cast<std::int64_t>(row));
    ++bank.counts[static_cast<std::size_t>(labels[row])];
  }
}

std::vector<std::size_t> candidate_order(const ImageSet& images,
                                         const FeatureBankOptions& options) {
  if (options.is_augmented) {
    return draw_order(images.count(), options.seed, Purpose::kBankOrder, 0);
  }
  std::vector<std::size_t> order(images.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The chosen images, changed where it is asked for. Changes move whole pixels,
// so 8 bits hold them exactly.
ImageSet chosen_images(const ImageSet& images,
                       const std::vector<std::size_t>& rows,
                       const FeatureBankOptions& options) {
  ImageSet chosen = take(images, rows);
  if (!options.is_augmented) return chosen;
  const std::vector<std::uint64_t> streams(rows.begin(), rows.end());
  chosen.pixels =
      to_images(crop_and_flip(to_tensor(chosen), streams, options.augment,
                              options.seed, Purpose::kBankAugment))
          .pixels;
  return chosen;
}

template <typename T>
NamedArray copied(const std::string& name, ElementType type,
                  std::vector<std::size_t> shape, std::span<const T> values) {
  std::shared_ptr<std::byte> bytes(new std::byte[values.size_bytes() + 1],
                                   std::default_delete<std::byte[]>());
  if (!values.empty()) {
    std::memcpy(bytes.get(), values.data(), values.size_bytes());
  }
  return {name, Array(name, type, std::move(shape), std::move(bytes))};
}

const Array& part(const SafetensorsFile& file, const std::string& name,
                  ElementType type, std::size_t rank) {
  for (const NamedArray& tensor : file.tensors) {
    if (tensor.name == name && tensor.array.type() == type &&
        tensor.array.shape().size() == rank) {
      return tensor.array;
    }
  }
  throw IoError(file.name, std::string("a bank holds ") + name + " as " +
                               to_string(type) + " of rank " +
                               std::to_string(rank));
}

std::vector<std::int64_t> integers(const SafetensorsFile& file,
                                   const std::string& name) {
  const Array& array = part(file, name, ElementType::kInt64, 1);
  std::vector<std::int64_t> values(array.size());
  if (!values.empty()) {
    std::memcpy(values.data(), array.bytes(), array.byte_count());
  }
  return values;
}

// Labels must be what the counts say: 0 repeated n_0 times, and so on.
bool are_grouped(const FeatureBank& bank) {
  std::size_t row = 0;
  for (std::size_t c = 0; c < bank.counts.size(); ++c) {
    if (bank.counts[c] < 0 ||
        static_cast<std::size_t>(bank.counts[c]) > bank.labels.size() - row) {
      return false;
    }
    for (std::int64_t k = 0; k < bank.counts[c]; ++k, ++row) {
      if (bank.labels[row] != static_cast<std::int64_t>(c)) return false;
    }
  }
  return row == bank.labels.size();
}

bool are_unit_rows(MatrixView<const float> rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double square = 0.0;
    for (const float value : rows.row(i)) square += double{value} * value;
    if (!(std::abs(square - 1.0) < 1e-3)) return false;
  }
  return true;
}

}  // namespace

FeatureBankResult build_feature_bank(const Embed& embed, const ImageSet& images,
                                     const FeatureBankOptions& options,
                                     const Context& context) {
  sbog::check_images(images, "build_feature_bank");
  if (images.labels.empty() || options.per_class == 0) {
    throw InvalidArgument(
        "build_feature_bank: images with classes and one or more latents per "
        "class are expected");
  }
  const std::vector<std::size_t> rows =
      rows_by_class(images.labels, class_count(images),
                    candidate_order(images, options), options.per_class);
  EmbeddingResult embedded = embed_images(
      embed, chosen_images(images, rows, options), options.batch, context);
  if (embedded.status != SolveStatus::kDone) return {{}, embedded.status};
  FeatureBankResult result;
  result.bank.latents = std::move(embedded.latents);
  name_rows(rows, images.labels, class_count(images), result.bank);
  return result;
}

FeatureBank bank_of_features(MatrixView<const float> features,
                             std::span<const std::int32_t> labels,
                             std::size_t per_class) {
  if (labels.size() != features.rows() || labels.empty() || per_class == 0 ||
      std::ranges::min(labels) < 0 || !are_unit_rows(features)) {
    throw InvalidArgument(
        "bank_of_features: unit rows, one class from 0 on for each, and one or "
        "more rows per class are expected");
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto classes = static_cast<std::size_t>(std::ranges::max(labels)) + 1;
  const std::vector<std::size_t> rows =
      rows_by_class(labels, classes, order, per_class);
  FeatureBank bank;
  bank.latents = Matrix<float>(rows.size(), features.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(features.row(rows[i]), bank.latents.row(i).data());
  }
  name_rows(rows, labels, classes, bank);
  return bank;
}

void save_feature_bank(const std::string& path, const FeatureBank& bank) {
  const auto list = [](const char* name,
                       const std::vector<std::int64_t>& values) {
    return copied<std::int64_t>(name, ElementType::kInt64, {values.size()},
                                values);
  };
  const std::vector<NamedArray> parts = {
      copied<float>("latents", ElementType::kFloat32,
                    {bank.latents.rows(), bank.latents.cols()},
                    bank.latents.elements()),
      list("labels", bank.labels), list("sources", bank.sources),
      list("counts", bank.counts)};
  write_safetensors(path, parts, {{"kind", "sbog feature bank 1"}});
}

FeatureBank load_feature_bank(const std::string& path) {
  const SafetensorsFile file = read_safetensors(path);
  const Array& latents = part(file, "latents", ElementType::kFloat32, 2);
  FeatureBank bank;
  bank.labels = integers(file, "labels");
  bank.sources = integers(file, "sources");
  bank.counts = integers(file, "counts");
  if (file.tensors.size() != 4 || bank.labels.size() != latents.rows() ||
      bank.sources.size() != latents.rows() || !are_grouped(bank)) {
    throw IoError(path,
                  "labels, sources and counts of the bank do not agree with "
                  "its latents");
  }
  bank.latents = Matrix<float>(latents.rows(), latents.cols());
  if (latents.size() > 0) {
    std::memcpy(bank.latents.data(), latents.bytes(), latents.byte_count());
  }
  if (!are_unit_rows(bank.latents)) {
    throw IoError(path, "the latents of the bank are not finite unit rows");
  }
  return bank;
}

}  // namespace sbog::image
