// SPDX-License-Identifier: Apache-2.0
// Retrieval, mixing and the file of the bank; see mix.h.
#include "sbog_torch/image/mix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog_torch/image/detail/decoder_file.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 24;
constexpr std::size_t kMostLatent = 8192;

void check_bank(const MixBank& bank) {
  const torch::Tensor& x = bank.images;
  require("mix", x.defined() && x.dim() == 4 && x.size(0) > 0 && x.numel() > 0,
          "images N x C x H x W are expected, N > 0");
  require("mix",
          bank.latents.defined() && bank.latents.dim() == 2 &&
              bank.latents.size(0) == x.size(0) &&
              bank.latents.scalar_type() == torch::kFloat32,
          "one float latent per image is expected");
  require("mix",
          bank.classes.defined() && bank.classes.dim() == 1 &&
              bank.classes.size(0) == x.size(0) &&
              bank.classes.scalar_type() == torch::kInt64 &&
              bank.classes.min().item<std::int64_t>() >= 0,
          "one class from 0 on per image is expected");
  require("mix",
          bank.classes.min().item<std::int64_t>() !=
              bank.classes.max().item<std::int64_t>(),
          "images of at least two classes are expected");
  require_finite(bank.latents, "mix: latents");
}

// The rows of the bank that are nearest to a point: of its class, else of any,
// and of the other classes. Ties go to the smallest row.
struct Pair {
  std::size_t own = 0;
  std::size_t other = 0;
};

Pair nearest_pair(std::span<const float> cosines,
                  std::span<const std::int64_t> classes, std::int64_t own) {
  const auto best = [&](auto is_allowed) {
    std::size_t found = cosines.size();
    for (std::size_t i = 0; i < cosines.size(); ++i) {
      if (!is_allowed(classes[i])) continue;
      if (found == cosines.size() || cosines[i] > cosines[found]) found = i;
    }
    return found;
  };
  Pair pair;
  pair.own = best([&](std::int64_t c) { return c == own; });
  if (pair.own == cosines.size()) {
    pair.own = best([](std::int64_t) { return true; });
  }
  const std::int64_t taken = classes[pair.own];
  pair.other = best([&](std::int64_t c) { return c != taken; });
  return pair;
}

torch::Tensor laid_together(const torch::Tensor& first,
                            const torch::Tensor& second,
                            const MixOptions& options, nn::Draws draws) {
  const bool is_patch = draws.uniform() < options.patch_share;
  const auto share = [&] {
    return options.low + (options.high - options.low) * draws.uniform();
  };
  if (!is_patch) {
    const double weight = share();
    return (1.0 - weight) * first + weight * second;
  }
  torch::Tensor out = first.clone();
  torch::Tensor window = out;
  torch::Tensor from = second;
  for (const std::int64_t dim : {1, 2}) {
    const std::int64_t extent = first.size(dim);
    const auto side = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(share() * static_cast<double>(extent) + 0.5),
        1, extent);
    const auto begin = static_cast<std::int64_t>(
        draws.below(static_cast<std::size_t>(extent - side + 1)));
    window = window.narrow(dim, begin, side);
    from = from.narrow(dim, begin, side);
  }
  window.copy_(from);
  return out;
}

// An array that shares the bytes of a tensor.
NamedArray named(const std::string& name, ElementType type,
                 const torch::Tensor& tensor) {
  const auto kept = std::make_shared<torch::Tensor>(tensor.contiguous());
  const std::vector<std::size_t> shape(kept->sizes().begin(),
                                       kept->sizes().end());
  return {name, Array(name, type, shape,
                      {kept, static_cast<const std::byte*>(kept->data_ptr())})};
}

torch::Tensor tensor_of(const SafetensorsFile& file, const std::string& name,
                        torch::ScalarType type) {
  const auto found =
      std::find_if(file.tensors.begin(), file.tensors.end(),
                   [&](const NamedArray& one) { return one.name == name; });
  const std::vector<std::int64_t> shape(found->array.shape().begin(),
                                        found->array.shape().end());
  torch::Tensor tensor = torch::empty(shape, type);
  std::memcpy(tensor.data_ptr(), found->array.bytes(),
              found->array.byte_count());
  return tensor;
}

}  // namespace

void check_options(const MixOptions& options) {
  require("mix", options.patch_share >= 0.0 && options.patch_share <= 1.0,
          "a share of rectangles from 0 to 1 is expected");
  require(
      "mix",
      options.low > 0.0 && options.low <= options.high && options.high < 1.0,
      "weights with 0 < low <= high < 1 are expected");
}

MixDecoder::MixDecoder(const MixBank& bank, const MixOptions& options)
    : bank_(bank), options_(options) {
  check_options(options);
  check_bank(bank);
  if (bank.images.scalar_type() != torch::kUInt8) {
    require_finite(bank.images, "mix: images");
    bank_.images =
        (bank.images.clamp(0.0, 1.0) * 255.0).round().to(torch::kUInt8);
  }
  bank_.images = bank_.images.contiguous();
  bank_.latents = bank.latents.detach().contiguous();
  bank_.classes = bank.classes.contiguous();
}

ImageShape MixDecoder::shape() const {
  return {static_cast<std::size_t>(bank_.images.size(1)),
          static_cast<std::size_t>(bank_.images.size(2)),
          static_cast<std::size_t>(bank_.images.size(3))};
}

std::size_t MixDecoder::latent_width() const {
  return static_cast<std::size_t>(bank_.latents.size(1));
}

torch::Tensor MixDecoder::decode_checked(
    const torch::Tensor& latents, const torch::Tensor& classes,
    std::span<const std::uint64_t> ids,
    const DecoderSources* /*sources*/) const {
  const torch::Tensor cosines =
      detail::in_chunks({latents}, [&](const std::vector<torch::Tensor>& rows) {
        return torch::matmul(rows[0], bank_.latents.t());
      });
  const auto count = static_cast<std::size_t>(bank_.images.size(0));
  const std::span<const std::int64_t> bank_classes(
      bank_.classes.data_ptr<std::int64_t>(), count);
  std::vector<torch::Tensor> images;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Pair pair =
        nearest_pair({cosines.data_ptr<float>() + i * count, count},
                     bank_classes, classes.data_ptr<std::int64_t>()[i]);
    const auto image = [&](std::size_t row) {
      return bank_.images[static_cast<std::int64_t>(row)].to(torch::kFloat32) /
             255.0;
    };
    images.push_back(
        laid_together(image(pair.own), image(pair.other), options_,
                      open_draws(options_.seed, Purpose::kMix, ids[i])));
  }
  return torch::stack(images);
}

void MixDecoder::save(const std::string& path) const {
  const std::array<NamedArray, 3> tensors = {
      named("bank.classes", ElementType::kInt64, bank_.classes),
      named("bank.latents", ElementType::kFloat32, bank_.latents),
      named("bank.images", ElementType::kUInt8, bank_.images)};
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  write_safetensors(
      path, tensors,
      detail::decoder_metadata(
          kind(), shape(),
          {{"latent", latent_width()},
           {"rows", static_cast<std::uint64_t>(bank_.images.size(0))},
           {"patch_share_bits", bits(options_.patch_share)},
           {"low_bits", bits(options_.low)},
           {"high_bits", bits(options_.high)},
           {"seed", options_.seed}}));
}

MixDecoder MixDecoder::load(const std::string& path) {
  const auto head = detail::read_decoder_file(path, DecoderKind::kMix);
  const ImageShape shape = head.shape();
  const std::size_t rows = head.count("rows");
  const std::size_t latent = head.count("latent");
  if (rows > kMostRows || latent > kMostLatent || shape.channels > 16 ||
      shape.height > 4096 || shape.width > 4096) {
    throw IoError(path, "the extents of the bank are out of range");
  }
  SafetensorsOptions reading;
  reading.requires_finite = true;
  const SafetensorsFile file = read_safetensors(path, reading);
  const std::array<ExpectedTensor, 3> expected = {
      ExpectedTensor{"bank.classes", ElementType::kInt64, {rows}},
      ExpectedTensor{"bank.latents", ElementType::kFloat32, {rows, latent}},
      ExpectedTensor{"bank.images",
                     ElementType::kUInt8,
                     {rows, shape.channels, shape.height, shape.width}}};
  check_tensors(file, expected);
  const auto number = [&](const char* name) {
    return std::bit_cast<double>(head.count(name));
  };
  const MixOptions options{number("patch_share_bits"), number("low_bits"),
                           number("high_bits"), head.count("seed")};
  try {
    return {{tensor_of(file, "bank.images", torch::kUInt8),
             tensor_of(file, "bank.latents", torch::kFloat32),
             tensor_of(file, "bank.classes", torch::kInt64)},
            options};
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
}

}  // namespace sbog::image
