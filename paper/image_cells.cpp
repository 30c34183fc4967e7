// SPDX-License-Identifier: Apache-2.0
// Configurations of image_cells.h; torch/compute_image_cell.cpp computes them,
// in a library of its own.
#include "paper/image_cells.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "paper/image_data.h"
#include "paper/options_json.h"
#include "sbog/base/errors.h"
#include "sbog/sample/image_profile.h"

namespace sbog::paper {
namespace {

// What is trained, at the full size and at the small one.
Json stage_fields(bool is_small) {
  if (is_small) {
    return {{"encoder", {{"widths", {4, 8}}, {"latent", 8}, {"epochs", 2}}},
            {"decoder",
             {{"kind", "cvae"},
              {"width", 8},
              {"epochs", 1},
              {"variation", "detail"},
              {"rounds", 4}}},
            {"classifier", {{"widths", {4, 8}}, {"epochs", 2}}},
            {"exposure", {{"loss", "energy"}, {"weight", 1.0}, {"epochs", 1}}},
            {"outliers_per_class", 10},
            {"decoded_per_class", 10}};
  }
  return {
      {"encoder", {{"widths", {16, 32, 64}}, {"latent", 64}, {"epochs", 10}}},
      {"decoder",
       {{"kind", "cvae"},
        {"width", 32},
        {"epochs", 12},
        {"variation", "detail"},
        {"rounds", 4}}},
      {"classifier", {{"widths", {16, 32, 64}}, {"epochs", 8}}},
      {"exposure", {{"loss", "energy"}, {"weight", 1.0}, {"epochs", 4}}},
      {"outliers_per_class", 500},
      {"decoded_per_class", 200}};
}

constexpr const char* kNoImages =
    "detectors of images need a build with LibTorch";

// Beside the program, in a build as well as where it is installed.
std::string image_library() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / SBOG_IMAGE_LIBRARY).string();
}

bool has_sampler(const std::string& rule) {
  return rule != "none" && rule != "noise";
}

std::string key_part(const std::string& name) {
  std::string key;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  while (!key.empty() && key.back() == '-') key.pop_back();
  return key;
}

Cell make_cell(const std::string& set, const Settings& settings,
               std::uint64_t seed, const ImageRow& row) {
  Json fields = {{"seed", seed}};
  fields.update(image_fields(set, settings));
  fields.update(stage_fields(settings.size == Size::kSmall));
  const std::size_t latent = fields["encoder"]["latent"];
  Json told = {{"name", row.name},       {"rule", row.rule},
               {"profile", row.profile}, {"robust", row.is_robust},
               {"start", row.start},     {"changes", row.changes}};
  if (has_sampler(row.rule)) {
    told["sampler"] = options_json(image_row_sampler(told, latent));
  }
  fields["row"] = told;
  return {set + "-s" + std::to_string(seed) + "-" + key_part(row.name), fields};
}

}  // namespace

ImageRow with_start(ImageRow row, const std::string& start,
                    const std::string& words) {
  row.start = start;
  row.name += ", " + words;
  return row;
}

SamplerOptions image_row_sampler(const Json& row, std::size_t width) {
  SamplerOptions options =
      image_profile(row.at("profile").get<std::string>(), width);
  options.rule = parse_rule(row.at("rule").get<std::string>());
  for (const auto& [field, value] : row.at("changes").items()) {
    if (field == "anchor_rule") {
      options.anchor_rule = parse_anchor_rule(value.get<std::string>());
    } else if (field == "pick") {
      options.pick = parse_pick_rule(value.get<std::string>());
    } else if (field == "has_semantic_test") {
      options.semantic = value;
    } else if (field == "seed_eligibility") {
      options.seed_eligibility = value;
    } else if (field == "semantic_quantile") {
      options.semantic_quantile = value;
    } else {
      throw InvalidArgument("the field '" + field +
                            "' of the sampler cannot be changed here");
    }
  }
  return options;
}

bool has_images() { return std::filesystem::exists(image_library()); }

Json compute_image_cell(const Json& configuration, const CellContext& context) {
  if (!has_images()) throw InvalidArgument(kNoImages);
  const std::string path = image_library();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library == nullptr
                    ? nullptr
                    : dlsym(library, "sbog_paper_compute_image_cell");
  if (entry == nullptr) {
    throw IoError(path, std::string("cannot be loaded: ") + dlerror());
  }
  Json result;
  reinterpret_cast<ImageCellEntry*>(entry)(configuration, context, result);
  return result;
}

std::string image_cells_obstacle(const Settings& settings) {
  if (!has_images()) return kNoImages;
  return image_obstacle(settings);
}

std::vector<Cell> image_cells(const Settings& settings,
                              const std::vector<ImageRow>& rows) {
  const std::vector<std::string> sets = list_image_sets(settings);
  std::vector<Cell> cells;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (const std::uint64_t seed : settings.seeds) {
      for (const std::string& set : sets) {
        for (std::size_t r = from; r < to; ++r) {
          cells.push_back(make_cell(set, settings, seed, rows.at(r)));
        }
      }
    }
  };
  add(0, 1);
  add(1, rows.size());
  return cells;
}

}  // namespace sbog::paper
