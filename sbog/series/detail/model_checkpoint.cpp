// SPDX-License-Identifier: Apache-2.0
// Writing and checked reading of models; see model_checkpoint.h.
#include "sbog/series/detail/model_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sbog/base/number_text.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::series::detail {
namespace {

// Far above what is used, far below what would exhaust memory.
constexpr std::size_t kMostMid = 1024;
constexpr std::size_t kMostHead = 65536;
constexpr std::size_t kMostWidth = std::size_t{1} << 20;
constexpr std::size_t kMostCount = std::size_t{1} << 40;

std::map<std::string, std::string> metadata_of(const SeriesModel& model) {
  const EncoderOptions& shape = model.encoder.options();
  const PretextOptions& training = model.training;
  const nn::AdamOptions& adam = training.optimiser;
  const auto flag = [](bool value) { return value ? "1" : "0"; };
  return {{"channels", std::to_string(shape.channels)},
          {"width", std::to_string(shape.width)},
          {"stride", std::to_string(model.windows.stride)},
          {"mid", std::to_string(shape.mid)},
          {"head", std::to_string(shape.head)},
          {"scramble", flag(shape.layout == WindowLayout::kScramble)},
          {"block3_identity", flag(shape.has_block3_identity)},
          {"loss", to_string(training.loss)},
          {"space", to_string(training.space)},
          {"temperature", shortest(training.temperature)},
          {"epochs", std::to_string(training.epochs)},
          {"batch", std::to_string(training.batch)},
          {"seed", std::to_string(training.seed)},
          {"rejects_identical", flag(training.rejects_identical)},
          {"resamples_triplets", flag(training.resamples_triplets)},
          {"learning_rate", shortest(adam.learning_rate)},
          {"beta1", shortest(adam.beta1)},
          {"beta2", shortest(adam.beta2)},
          {"epsilon", shortest(adam.epsilon)},
          {"weight_decay", shortest(adam.weight_decay)},
          {"decoupled", flag(adam.is_decoupled)}};
}

PretextOptions read_training(const ModelFields& fields) {
  PretextOptions training;
  training.mid = fields.count("mid", 1, kMostMid);
  training.head = fields.count("head", 2, kMostHead);
  if (fields.flag("scramble")) training.layout = WindowLayout::kScramble;
  training.has_block3_identity = fields.flag("block3_identity");
  try {
    training.loss = parse_loss(fields.text("loss"));
    training.space = parse_space(fields.text("space"));
  } catch (const InvalidArgument& error) {
    fields.fail(error.what());
  }
  training.temperature = fields.real("temperature", 1e-300, 1e300);
  training.epochs = fields.count("epochs", 1, kMostCount);
  training.batch = fields.count("batch", 1, kMostCount);
  training.seed = fields.number<std::uint64_t>("seed", 0, UINT64_MAX);
  training.rejects_identical = fields.flag("rejects_identical");
  training.resamples_triplets = fields.flag("resamples_triplets");
  nn::AdamOptions& adam = training.optimiser;
  adam.learning_rate = fields.real("learning_rate", 0.0, 1e300);
  adam.beta1 = fields.real("beta1", 0.0, 1.0);
  adam.beta2 = fields.real("beta2", 0.0, 1.0);
  adam.epsilon = fields.real("epsilon", 0.0, 1e300);
  adam.weight_decay = fields.real("weight_decay", 0.0, 1e300);
  adam.is_decoupled = fields.flag("decoupled");
  return training;
}

// The tensors that grow with the options must be there before anything of
// their size is allocated.
void check_large_tensors(const SafetensorsFile& file,
                         const EncoderOptions& shape) {
  const std::size_t wide = shape.features();
  check_tensor(file, "parameter.block1.conv1.weight",
               {shape.mid, shape.channels, 8});
  check_tensor(file, "parameter.block3.conv1.weight", {wide, wide, 8});
  check_tensor(file, "parameter.projection.linear2.weight", {shape.head, wide});
}

nn::Checkpoint checkpoint_of(const SeriesModel& model) {
  const SeriesDiagnostics& told = model.diagnostics;
  const auto& energies = told.spread.energy_quantiles;
  return {model.encoder.parameters(),
          model.encoder.buffers(),
          {},
          {{"windows", static_cast<double>(told.windows)},
           {"pair_distance", told.spread.pair_distance},
           {"positive_distance", told.positive_distance},
           {"negative_distance", told.negative_distance},
           {"identical_share", told.identical_share}},
          metadata_of(model),
          {{"means", model.statistics.means},
           {"deviations", model.statistics.deviations},
           {"energies", {energies.begin(), energies.end()}}},
          {{"channels", model.channels}}};
}

void check_statistics(const ModelFields& fields, const SeriesModel& model) {
  for (const double deviation : model.statistics.deviations) {
    if (!(deviation > 0.0)) fields.fail("a channel's deviation is not above 0");
  }
  for (const nn::Parameter& entry : model.encoder.buffers().entries()) {
    if (!entry.name.ends_with(".running_var")) continue;
    for (const float variance : model.encoder.buffers().values(entry.name)) {
      if (variance < 0.0F) fields.fail("a variance is negative");
    }
  }
  // Finite weights can still overflow.
  const EncoderOptions& shape = model.encoder.options();
  const Matrix<float> point =
      model.encoder.embed(Matrix<float>(1, shape.channels * shape.width));
  for (const float x : point.elements()) {
    if (!std::isfinite(x)) {
      fields.fail("its encoder gives a point that is not finite");
    }
  }
}

SeriesDiagnostics diagnostics_of(const ModelFields& fields,
                                 const nn::Checkpoint& checkpoint) {
  const auto& scalars = checkpoint.scalars;
  const auto within = [&](const char* name, double least, double most) {
    const double value = scalars.at(name);
    if (!(value >= least && value <= most)) {
      fields.fail(std::string("the diagnostic '") + name + "' is out of range");
    }
    return value;
  };
  SeriesDiagnostics told;
  // Distances are 1 - cos of rounded unit vectors.
  constexpr double kSlack = 1e-3;
  told.windows = static_cast<std::size_t>(within("windows", 1.0, 1e15));
  told.spread.pair_distance = within("pair_distance", -kSlack, 2.0 + kSlack);
  told.spread.is_collapsed = told.spread.pair_distance < kLeastPairDistance;
  told.positive_distance = within("positive_distance", -kSlack, 2.0 + kSlack);
  told.negative_distance = within("negative_distance", -kSlack, 2.0 + kSlack);
  told.identical_share = within("identical_share", 0.0, 1.0);
  const auto& energies = checkpoint.vectors.at("energies");
  std::copy(energies.begin(), energies.end(),
            told.spread.energy_quantiles.begin());
  return told;
}

// Appends the tensors of `more` to `set`.
void append(const nn::ParameterSet& more, nn::ParameterSet& set) {
  for (const nn::Parameter& entry : more.entries()) {
    set.add(entry.name, entry.shape);
    std::ranges::copy(more.values(entry.name), set.values(entry.name).begin());
  }
}

// Copies tensors of `set` into those of the same name.
void extract(const nn::ParameterSet& set, nn::ParameterSet& part) {
  for (const nn::Parameter& entry : part.entries()) {
    std::ranges::copy(set.values(entry.name), part.values(entry.name).begin());
  }
}

nn::Checkpoint joined(const SeriesModel& model, const ModelExtras& extras) {
  nn::Checkpoint checkpoint = checkpoint_of(model);
  append(extras.parameters, checkpoint.parameters);
  checkpoint.vectors.insert(extras.vectors.begin(), extras.vectors.end());
  checkpoint.metadata.insert(extras.metadata.begin(), extras.metadata.end());
  return checkpoint;
}

SeriesModel empty_model(const ModelFields& fields,
                        const SafetensorsFile& file) {
  const PretextOptions training = read_training(fields);
  const WindowOptions windows{fields.count("width", 1, kMostWidth),
                              fields.count("stride", 1, kMostCount), false};
  const EncoderOptions shape{fields.count("channels", 1, kMostChannels),
                             windows.width,
                             training.mid,
                             training.head,
                             training.layout,
                             training.has_block3_identity};
  check_large_tensors(file, shape);
  return {Encoder(shape, 0),
          {std::vector<double>(shape.channels),
           std::vector<double>(shape.channels)},
          windows,
          std::vector<std::string>(shape.channels),
          training,
          {}};
}

}  // namespace

void check_tensor(const SafetensorsFile& file, const std::string& name,
                  const std::vector<std::size_t>& shape) {
  const bool is_there = std::any_of(
      file.tensors.begin(), file.tensors.end(), [&](const NamedArray& tensor) {
        return tensor.name == name && tensor.array.shape() == shape;
      });
  if (!is_there) {
    throw IoError(file.name, "the tensor '" + name +
                                 "' is missing or has another shape than the "
                                 "metadata says");
  }
}

void write_model(const std::string& path, const std::string& format,
                 const SeriesModel& model, const ModelExtras& extras) {
  nn::Checkpoint checkpoint = joined(model, extras);
  checkpoint.metadata["format"] = format;
  nn::save_checkpoint(path, checkpoint);
}

SeriesModel read_model(const std::string& path, const std::string& format,
                       const ExpectExtras& expect, ModelExtras* extras) {
  const SafetensorsFile file = read_safetensors(path);
  const ModelFields fields(path, file.metadata);
  if (fields.text("format") != format) {
    fields.fail("is not a model of a series of this version");
  }
  SeriesModel model = empty_model(fields, file);
  ModelExtras found;
  if (expect) found = expect(fields, file);
  nn::Checkpoint checkpoint = joined(model, found);
  nn::load_checkpoint(path, checkpoint);
  extract(checkpoint.parameters, model.encoder.parameters());
  model.encoder.buffers() = std::move(checkpoint.buffers);
  model.statistics.means = checkpoint.vectors.at("means");
  model.statistics.deviations = checkpoint.vectors.at("deviations");
  model.channels = checkpoint.texts.at("channels");
  model.diagnostics = diagnostics_of(fields, checkpoint);
  check_statistics(fields, model);
  extract(checkpoint.parameters, found.parameters);
  for (auto& [name, values] : found.vectors) {
    values = checkpoint.vectors.at(name);
  }
  found.metadata.clear();
  if (extras != nullptr) *extras = std::move(found);
  return model;
}

}  // namespace sbog::series::detail
