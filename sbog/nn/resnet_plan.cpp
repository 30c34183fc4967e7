// SPDX-License-Identifier: Apache-2.0
// Layers and their tensors; see resnet_plan.h.
#include "sbog/nn/resnet_plan.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

std::size_t left_zeros(std::size_t kernel) { return (kernel - 1) / 2; }

// Main layers with kernels 8, 5, 3 and, where the width changes, a shortcut.
void add_block(std::size_t number, std::size_t inputs, std::size_t outputs,
               bool has_identity, ResnetPlan& plan) {
  const std::string block = "block" + std::to_string(number) + ".";
  Block added;
  added.first = plan.layers.size();
  std::size_t from = inputs;
  std::size_t place = 1;
  for (const std::size_t kernel : {8, 5, 3}) {
    const std::string index = std::to_string(place++);
    ConvLayer layer{block + "conv", block + "norm", from,
                    outputs,        kernel,         left_zeros(kernel)};
    layer.conv += index;
    layer.norm += index;
    plan.layers.push_back(std::move(layer));
    from = outputs;
  }
  if (inputs != outputs) {
    added.has_shortcut = true;
    added.shortcut = plan.layers.size();
    plan.layers.push_back({block + "shortcut_conv", block + "shortcut_norm",
                           inputs, outputs, 1, 0});
  }
  added.has_identity = has_identity;
  plan.blocks.push_back(added);
}

}  // namespace

void check_encoder_options(const EncoderOptions& options) {
  const auto need = [](bool is_good, const char* what) {
    if (!is_good) throw InvalidArgument(std::string("encoder: ") + what);
  };
  need(options.channels >= 1, "at least one channel is expected");
  need(options.width >= 1, "windows of at least one sample are expected");
  need(options.mid >= 1, "mid must be at least 1");
  need(options.head >= 2, "head must be at least 2");
}

ResnetPlan make_plan(const EncoderOptions& options) {
  check_encoder_options(options);
  ResnetPlan plan;
  const std::size_t wide = 2 * options.mid;
  add_block(1, options.channels, options.mid, false, plan);
  add_block(2, options.mid, wide, false, plan);
  add_block(3, wide, wide, options.has_block3_identity, plan);
  return plan;
}

void add_backbone(const ResnetPlan& plan, nn::ParameterSet& parameters) {
  for (const ConvLayer& layer : plan.layers) {
    parameters.add(layer.conv + ".weight",
                   {layer.outputs, layer.inputs, layer.kernel});
    parameters.add(layer.conv + ".bias", {layer.outputs});
    parameters.add(layer.norm + ".weight", {layer.outputs});
    parameters.add(layer.norm + ".bias", {layer.outputs});
  }
}

void add_projection(const EncoderOptions& options,
                    nn::ParameterSet& parameters) {
  const std::size_t features = options.features();
  parameters.add("projection.linear1.weight", {features, features});
  parameters.add("projection.linear1.bias", {features});
  parameters.add("projection.linear2.weight", {options.head, features});
  parameters.add("projection.linear2.bias", {options.head});
}

void add_cluster_head(std::size_t inputs, std::size_t classes,
                      nn::ParameterSet& parameters) {
  parameters.add("cluster.weight", {classes, inputs});
  parameters.add("cluster.bias", {classes});
}

nn::ParameterSet make_buffers(const ResnetPlan& plan) {
  nn::ParameterSet buffers;
  for (const ConvLayer& layer : plan.layers) {
    buffers.add(layer.norm + ".running_mean", {layer.outputs});
    buffers.add(layer.norm + ".running_var", {layer.outputs});
    const auto variances = buffers.values(layer.norm + ".running_var");
    std::fill(variances.begin(), variances.end(), 1.0F);
  }
  return buffers;
}

void initialise(nn::ParameterSet& parameters, std::uint64_t seed) {
  constexpr std::string_view kWeight = ".weight";
  for (std::size_t i = 0; i < parameters.entries().size(); ++i) {
    const std::string name = parameters.entries()[i].name;
    if (!name.ends_with(kWeight)) continue;
    const std::string layer = name.substr(0, name.size() - kWeight.size());
    if (layer.find("norm") == std::string::npos) {
      nn::initialise_layer(parameters, layer, seed);
    } else {
      const auto weight = parameters.values(name);
      const auto bias = parameters.values(layer + ".bias");
      std::fill(weight.begin(), weight.end(), 1.0F);
      std::fill(bias.begin(), bias.end(), 0.0F);
    }
  }
}

}  // namespace sbog::series
