// SPDX-License-Identifier: Apache-2.0
// The table of the job `generate`; see generate.h.
#include <algorithm>
#include <filesystem>
#include <map>

#include "sbog/base/errors.h"
#include "sbog/job/generate.h"
#include "sbog/sample/image_profile.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::job {
namespace {

using O = GenerateOptions;
using Table = OptionTable<O>;

// Options of an earlier order decide about defaults of later ones.
constexpr int kKindOrder = 1;
constexpr int kProfileOrder = 2;
constexpr int kCertifyOrder = 3;
constexpr int kSeverityOrder = 3;

void add_inputs(Table& table) {
  table.stage("Input");
  table
      .add("input", &O::input,
           "In-distribution data: points, one per row, a series, or images")
      .positional()
      .order(0)
      .value("FILE");
  table.stage("Output");
  table.add("out", &O::out, "Folder of the run")
      .basic()
      .required()
      .writes()
      .value("FOLDER");
  table.stage("Input");
  table
      .add_enum(
          "kind", &O::kind, parse_kind,
          [](Kind kind) { return to_string(kind); }, kind_names(),
          "What the input holds: latent (points), series, image, or table "
          "(rows of numbers and categories)")
      .basic()
      .order(kKindOrder)
      .without(
          "series for a CSV file and demo:series unless an option for points "
          "or for tables is given, image for a folder and demo:shapes, else "
          "latent");
  table
      .add("labels", &O::labels,
           "Class of each row; of a table the name of its column")
      .basic()
      .kinds(kForPoints | kForImages)
      .value("FILE");
  table
      .add("class_anchors", &O::class_anchors,
           "Direction of each class: a file with one row per class by "
           "increasing label, means or none; for images a file, orthonormal "
           "or simplex")
      .kinds(kForPoints | kForImages)
      .also("anchors")
      .value("FILE")
      .without("means with labels; images orthonormal");
  table
      .add("losses", &O::losses, "Loss of a model at each row, for --task-beta")
      .kinds(kForPoints)
      .value("FILE");
  table.add("metric", &O::metric, "Matrix of the Mahalanobis costs")
      .kinds(kForPoints)
      .value("FILE");
  table.add("columns", &O::columns, "Columns of a CSV file to use")
      .kinds(kForPoints | kForSeries)
      .value("NAMES")
      .without("all");
  table
      .add("items", &O::items,
           "Text with one line per row, a sentence or the path of a picture; "
           "outliers.csv and the report then say what each outlier lies next "
           "to")
      .basic()
      .kinds(kForPoints)
      .value("FILE")
      .without("none");
  table.add("precision", &O::precision, "Storage of points: float or double")
      .kinds(kForPoints)
      .choices({"float", "double"});
}

void add_outputs(Table& table) {
  table.stage("Output");
  std::vector<std::string> profiles;
  for (const std::string_view name : profile_names()) {
    profiles.emplace_back(name);
  }
  table.add("profile", &O::profile, "Named set of defaults")
      .basic()
      .kinds(kForPoints | kForImages)
      .order(kProfileOrder)
      .choices(std::move(profiles));
  table
      .add("total", &O::total,
           "Number of outliers in all, spread evenly over the classes; 0: "
           "--count of each class")
      .kinds(kForPoints);
  table
      .add("part", &O::part, "Number of outliers in a part that can be resumed")
      .kinds(kForPoints | kForImages);
  table.add("resume", &O::resume, "Go on with an unfinished run")
      .basic()
      .flag();
  table
      .add("no_report", &O::no_report,
           "Write no report.html; sbog report makes it later")
      .flag();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Points are rare by their energy, windows by their edits: the same words for
// two members.
void add_severity(Table& table) {
  table.stage("Output")
      .add_text(
          "severity",
          [](O& o, std::string_view text) {
            if (o.kind == Kind::kSeries) {
              o.series.severity = split(text);
            } else {
              o.sampler.severities = parse_severities(text);
            }
          },
          [](const O& o) -> std::optional<std::string> {
            const std::string text =
                o.kind == Kind::kSeries ? option_text::joined(o.series.severity)
                                        : severities_text(o.sampler.severities);
            return text.empty() ? std::nullopt : std::optional(text);
          },
          "Bands of rarity with commas between, each of which gets --count "
          "outliers (of points and images: per class; images by where they lie "
          "after decoding): severity 2 is what 1 in 100 to 1 in 1,000 points "
          "reach, or as rare as 1 in 100 to 1 in 1,000 spans of the recording; "
          "none: series without bands")
      .value("LIST")
      .basic()
      .kinds(kForPoints | kForSeries | kForImages)
      .without(
          "series 1, 2 and 3 with --count split over them; points and images "
          "one band from the threshold up")
      .order(kSeverityOrder);
}

void add_models(Table& table) {
  constexpr OptionKinds kOfModels = kForSeries | kForImages;
  table.stage("Encoder and decoder");
  table
      .add("model", &O::model,
           "Encoder that sbog train wrote: a file for series, a folder for "
           "images")
      .basic()
      .kinds(kOfModels)
      .value("PATH")
      .without("an encoder is trained");
  table
      .add("epochs", &O::epochs,
           "Number of passes over the windows or images to train the encoder")
      .kinds(kOfModels);
  table
      .add("decoder", &O::decoder,
           "Way from a point back to data. Series: edits (a few edits that "
           "have words) or vae (an autoencoder draws the window). Images: "
           "cvae, flow (sharper, slower), mix (two images laid together) or "
           "none")
      .kinds(kOfModels)
      .choices({"edits", "vae", "cvae", "flow", "mix", "none"})
      .without("edits; images cvae");
  table
      .add("decoder_epochs", &O::decoder_epochs,
           "Number of passes to train the decoder")
      .kinds(kOfModels)
      .without("vae 20, cvae 12, flow 30");
}

// A CSV may be points or a table as well: an option that series do not have
// says so.
Kind settled_kind(const O& options, const GivenOptions& given,
                  const std::map<std::string, OptionKinds>& kinds) {
  if (options.kind != Kind::kAuto) return options.kind;
  const Kind found = kind_of_input(options.input);
  if (found != Kind::kSeries) return found;
  for (const auto& [name, spelling] : given) {
    if (kinds.at(name) == kForTables) return Kind::kTable;
  }
  for (const auto& [name, spelling] : given) {
    if ((kinds.at(name) & kForSeries) == 0) return Kind::kPoints;
  }
  return found;
}

void check_kinds(const O& options, const GivenOptions& given,
                 const std::map<std::string, OptionKinds>& kinds) {
  for (const auto& [name, spelling] : given) {
    if ((kinds.at(name) & option_kinds(options.kind)) == 0) {
      throw InvalidArgument(spelling + ": this option is not for --kind " +
                            to_string(options.kind));
    }
  }
}

// A certificate needs a reference that nothing follows: options that are given
// come later and are refused by the sampler if they do not go together.
void prepare_certificate(SamplerOptions& sampler) {
  sampler.local = 0;
  sampler.trim = 0.0;
  sampler.margin = 0.0;
  sampler.splitting = false;
}

// Bands need the whole reference. The profiles of images have it not; of points
// a profile that has it not is refused, since most have it.
void prepare_severities(SamplerOptions& sampler) {
  sampler.local = 0;
  sampler.splitting = false;
}

Table make_generate_table() {
  Table table;
  add_inputs(table);
  table.include(sampler_option_table(), &O::sampler);
  add_outputs(table);
  add_severity(table);
  add_models(table);
  table.stage("Series").include(series_option_table(), &O::series);
  table.stage("Images").include(image_option_table(), &O::images);
  table.include(table_option_table(), &O::table);
  table.find("class_names")->kinds(kForPoints | kForImages);
  for (const char* name : {"outside_only", "redraws"}) {
    table.find(name)->kinds(kForSeries | kForImages);
  }
  std::map<std::string, OptionKinds> kinds;
  for (const auto& entry : table.entries()) {
    kinds[entry.info().name] = entry.info().kinds;
  }
  table.settle(kKindOrder, [kinds](O& options, const GivenOptions& given) {
    options.kind = settled_kind(options, given, kinds);
  });
  table.settle(kProfileOrder, [](O& options, const GivenOptions& given) {
    const GenerateOptions defaults = default_generate_options(
        options.kind, given.contains("profile") ? options.profile : "");
    options.profile = defaults.profile;
    options.sampler = defaults.sampler;
    options.precision = defaults.precision;
  });
  table.settle(kCertifyOrder, [](O& options, const GivenOptions&) {
    if (options.sampler.certify) prepare_certificate(options.sampler);
    if (options.kind == Kind::kImages && !options.sampler.severities.empty()) {
      prepare_severities(options.sampler);
    }
  });
  table.settle(kLastOrder, [kinds](O& options, const GivenOptions& given) {
    check_kinds(options, given, kinds);
  });
  return table;
}

}  // namespace

Kind kind_of_input(const std::string& input) {
  std::error_code error;
  if (input.starts_with("demo:shapes") ||
      std::filesystem::is_directory(input, error)) {
    return Kind::kImages;
  }
  const bool is_series = input.starts_with("demo:series") ||
                         input == "demo:plant" || input.ends_with(".csv") ||
                         input.ends_with(".CSV");
  return is_series ? Kind::kSeries : Kind::kPoints;
}

GenerateOptions default_generate_options(Kind kind, std::string_view profile) {
  GenerateOptions options;
  options.kind = kind;
  options.profile = !profile.empty()        ? std::string(profile)
                    : kind == Kind::kSeries ? "scenario"
                    : kind == Kind::kImages ? "balanced"
                                            : std::string(kDefaultProfile);
  if (kind == Kind::kImages) {
    options.sampler = image_profile(options.profile, 1);
    options.sampler.sigma = 0.0;
  } else {
    options.sampler = profile_options(options.profile);
  }
  if (kind == Kind::kSeries) options.sampler.count = 100;
  if (kind == Kind::kTable) {
    options.sampler.energy.cost = GroundCost::kSquaredEuclidean;
    options.sampler.projection = Projection::kIdentity;
    options.precision = "double";  // a number is written as it was read
  }
  return options;
}

const OptionTable<GenerateOptions>& generate_option_table() {
  static const Table kTable = make_generate_table();
  return kTable;
}

std::vector<OptionInfo> generate_option_infos() {
  Table::Profiles profiles;
  for (const std::string_view name : profile_names()) {
    profiles.push_back({std::string(name),
                        default_generate_options(Kind::kPoints, name),
                        kForPoints | kForImages});
  }
  profiles.push_back(
      {"series", default_generate_options(Kind::kSeries), kForSeries});
  profiles.push_back(
      {"images", default_generate_options(Kind::kImages), kForImages});
  std::vector<OptionInfo> infos = generate_option_table().infos(
      default_generate_options(Kind::kPoints), profiles);
  for (OptionInfo& info : infos) {
    if (info.name == "profile") {
      info.default_text = std::string(kDefaultProfile);
    }
  }
  return infos;
}

}  // namespace sbog::job
