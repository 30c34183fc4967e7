// SPDX-License-Identifier: Apache-2.0
// Options of runs on series; see generate_series.h.
#include "generate_series.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "sbog/base/errors.h"
#include "toml_text.h"

namespace sbog::cli {
namespace {

constexpr const char* kGroup = "Series";

// Options of `sbog generate` that mean the same for points and for series.
constexpr std::array kShared = {
    "INPUT",       "--help",         "--config", "--out",
    "--kind",      "--columns",      "--count",  "--resume",
    "--no-report", "--epsilon",      "--trim",   "--quantile",
    "--margin",    "--anchor-count", "--sigma",  "--proposal-count",
    "--max-rounds"};

// Options of the group Series that images have as well.
constexpr std::array kOfModels = {"--model", "--epochs", "--decoder",
                                  "--decoder-epochs"};

bool is_among(std::span<const char* const> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_for(const std::string& kind, const CLI::Option& option) {
  const std::string name = option.get_name();
  if (is_among(kShared, name)) return true;
  if (option.get_group() == kGroup) {
    return kind == "series" || (kind == "image" && is_among(kOfModels, name));
  }
  if (option.get_group() == "Images") return kind == "image";
  return kind != "series";
}

// The first option that was given but is not for this kind.
std::string wrong_option(const CLI::App& command, const std::string& kind) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && !is_for(kind, *option)) {
      return option->get_name();
    }
  }
  return "";
}

bool looks_like_images(const std::string& input) {
  std::error_code error;
  return input.starts_with("demo:shapes") ||
         std::filesystem::is_directory(input, error);
}

bool looks_like_series(const std::string& input) {
  return input.starts_with("demo:series") || input == "demo:plant" ||
         input.ends_with(".csv") || input.ends_with(".CSV");
}

}  // namespace

void declare_series_run_options(CLI::App& command, SeriesRunArguments& a) {
  const auto grouped = [](CLI::Option* option) {
    return option->group(kGroup);
  };
  grouped(command.add_option("--time", a.time,
                             "Column with the times, by name or index; none: "
                             "there is none; without it, found by itself"));
  grouped(command.add_option("--model", a.model,
                             "What `sbog train series` wrote; without it an "
                             "encoder is trained"));
  grouped(command.add_option("--second-model", a.second_model,
                             "Another model: says how odd each window is to "
                             "an encoder that had no part in it"));
  grouped(
      command.add_option("--width", a.width, "Rows of a window, at least 32"));
  grouped(command.add_option("--stride", a.stride,
                             "Rows from one window to the next; 0: so that "
                             "there are at most 5,000"));
  grouped(command.add_option("--epochs", a.epochs, "Passes over the windows"));
  grouped(
      command.add_option("--mid", a.mid, "Width of the network's first block"));
  grouped(
      command.add_option("--head", a.head, "Dimension of the sphere's space"));
  grouped(command.add_option(
              "--kinds", a.kinds,
              "Edits that are allowed: level, trend, scale, noise, delay, "
              "frequency, coupling, oscillation, stuck; default all"))
      ->delimiter(',');
  grouped(command.add_option("--channels", a.channels,
                             "Channels that may be edited; default all"))
      ->delimiter(',');
  grouped(command.add_option("--classes", a.classes,
                             "channel=constant|discrete|event|continuous, "
                             "where the data mislead"))
      ->delimiter(',');
  grouped(command.add_option(
              "--decoder", a.decoder,
              "From a target to a window: edits (a few that have words, the "
              "default), or vae (an autoencoder draws the window; it seldom "
              "gets as near, so combine it with --outside-only). To an image: "
              "cvae (default), flow (sharper and slower), mix (two images of "
              "the bank laid together) or none"))
      ->check(CLI::IsMember({"edits", "vae", "cvae", "flow", "mix", "none"}));
  grouped(command.add_option("--decoder-epochs", a.decoder_epochs,
                             "Passes for --decoder vae; over the images for "
                             "cvae (12 without it) and flow (30)"))
      ->check(CLI::PositiveNumber);
  grouped(command.add_option(
              "--law", a.law,
              "Where targets come from: isotropic (noise around an anchor), "
              "tangent (where single edits lead), edit-first (random edits, a "
              "quick preview), or auto: tangent when isotropic ones are hard "
              "to reach"))
      ->check(CLI::IsMember({"auto", "isotropic", "tangent", "edit-first"}));
  grouped(command.add_option("--slots", a.slots, "Edits per window at most"));
  grouped(command.add_option("--steps", a.steps, "Refinement steps"));
  grouped(command.add_option("--redraws", a.redraws,
                             "Further targets when one cannot be reached"));
  grouped(command.add_option("--alternatives", a.alternatives,
                             "Other ways to the same point to name"));
  grouped(command.add_flag("--outside-only", a.keeps_outside_only,
                           "Keep windows that lie outside, but not where the "
                           "target was"));
  grouped(command.add_flag("--delay-discrete", a.delays_discrete,
                           "Allow delays of discrete channels"));
  grouped(command.add_option("--plots", a.plots,
                             "Windows to plot, from the first on"));
}

std::string resolve_kind(const CLI::App& command, const GenerateArguments& a) {
  std::string kind = a.kind;
  if (kind.empty() && looks_like_images(a.input)) kind = "image";
  if (kind.empty()) {
    const bool is_series =
        looks_like_series(a.input) && wrong_option(command, "series").empty();
    kind = is_series ? "series" : "latent";
  }
  const std::string wrong = wrong_option(command, kind);
  if (!wrong.empty()) {
    throw InvalidArgument(wrong + ": this option is not for --kind " + kind);
  }
  return kind;
}

std::string series_run_toml(const GenerateArguments& shared,
                            const SeriesRunArguments& own, std::uint64_t seed) {
  Toml toml;
  toml.add("seed", static_cast<std::size_t>(seed));
  toml.section("generate");
  toml.add("kind", "series");
  toml.add("columns", shared.columns);
  toml.add("count", shared.count);
  const auto optional = [&](const char* key, const auto& value) {
    if (value) toml.add(key, *value);
  };
  optional("epsilon", shared.epsilon);
  optional("trim", shared.trim);
  optional("quantile", shared.quantile);
  optional("margin", shared.margin);
  optional("anchor-count", shared.anchor_count);
  optional("sigma", shared.sigma);
  optional("proposal-count", shared.proposal_count);
  optional("max-rounds", shared.max_rounds);
  if (!own.time.empty()) toml.add("time", own.time);
  if (!own.model.empty()) toml.add("model", own.model);
  if (!own.second_model.empty()) toml.add("second-model", own.second_model);
  toml.add("width", own.width);
  toml.add("stride", own.stride);
  toml.add("epochs", own.epochs);
  toml.add("mid", own.mid);
  toml.add("head", own.head);
  toml.add("kinds", own.kinds);
  toml.add("channels", own.channels);
  toml.add("classes", own.classes);
  toml.add("decoder", own.decoder);
  toml.add("decoder-epochs", own.decoder_epochs);
  toml.add("law", own.law);
  toml.add("slots", own.slots);
  toml.add("steps", own.steps);
  toml.add("redraws", own.redraws);
  toml.add("alternatives", own.alternatives);
  toml.add("outside-only", own.keeps_outside_only);
  toml.add("delay-discrete", own.delays_discrete);
  toml.add("plots", own.plots);
  return toml.text();
}

}  // namespace sbog::cli
