// SPDX-License-Identifier: Apache-2.0
// See draw_images.h.
#include "sbog_torch/job/draw_images.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sbog/sample/sampler.h"

namespace sbog::torch_jobs {
namespace {

using image::DecoderKind;
using image::LatentOutliers;

// Ids of candidates begin here, apart from those of all else that is decoded.
constexpr std::uint64_t kCandidateIds = std::uint64_t{1} << 41;

// Of some images those at `places`.
DecodedImages chosen(const DecodedImages& all,
                     const std::vector<std::size_t>& places) {
  const auto numbers = [&](const std::vector<double>& values) {
    std::vector<double> taken;
    for (const std::size_t i : places) taken.push_back(values[i]);
    return taken;
  };
  return {take(all.images, places), take(all.sources, places),
          numbers(all.class_energy), numbers(all.energy),
          numbers(all.consistency)};
}

// Images of all sets, one after the other.
ImageSet joined(const std::vector<const ImageSet*>& sets) {
  ImageSet all;
  std::size_t count = 0;
  for (const ImageSet* set : sets) count += set->count();
  if (sets.empty()) return all;
  all.shape = sets.front()->shape;
  all.class_names = sets.front()->class_names;
  all.pixels = Matrix<std::uint8_t>(count, all.shape.size());
  std::size_t row = 0;
  for (const ImageSet* set : sets) {
    all.labels.insert(all.labels.end(), set->labels.begin(), set->labels.end());
    for (std::size_t i = 0; i < set->count(); ++i) {
      std::ranges::copy(set->pixels.row(i), all.pixels.row(row++).begin());
    }
  }
  return all;
}

DecodedImages joined(const std::vector<DecodedImages>& parts) {
  DecodedImages all;
  std::vector<const ImageSet*> images;
  std::vector<const ImageSet*> sources;
  const auto append = [](std::vector<double>& to,
                         const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const DecodedImages& part : parts) {
    images.push_back(&part.images);
    sources.push_back(&part.sources);
    append(all.class_energy, part.class_energy);
    append(all.energy, part.energy);
    append(all.consistency, part.consistency);
  }
  all.images = joined(images);
  all.sources = joined(sources);
  return all;
}

// Room for the images of a class: one band, or one for every severity.
class Bands {
 public:
  Bands(const std::vector<int>& severities, std::size_t count)
      : severities_(severities),
        count_(count),
        filled_(std::max<std::size_t>(1, severities.size())) {}

  /// The band of an image; nothing when it is in none that was asked for.
  std::optional<std::size_t> band_of(int severity) const {
    if (severities_.empty()) return 0;
    const auto at = std::ranges::find(severities_, severity);
    if (at == severities_.end()) return std::nullopt;
    return static_cast<std::size_t>(at - severities_.begin());
  }
  bool has_room(std::size_t band) const { return filled_[band] < count_; }
  void fill(std::size_t band) { ++filled_[band]; }
  bool is_full() const {
    return std::ranges::all_of(filled_,
                               [&](std::size_t n) { return n >= count_; });
  }
  const std::vector<std::size_t>& filled() const { return filled_; }

 private:
  const std::vector<int>& severities_;
  std::size_t count_;
  std::vector<std::size_t> filled_;
};

// What became of the outputs that were drawn for a band.
struct BandLosses {
  std::size_t in_sampling = 0;
  std::size_t in_decoding = 0;
};

// The outputs of one class, drawn again and again until every band is full.
class ClassDraw {
 public:
  ClassDraw(const DecodingTools& tools, const DrawRules& rules,
            const Sampler<float>& sampler, std::size_t c,
            const Context& context)
      : tools_(tools),
        rules_(rules),
        run_(sampler.prepare(c, context)),
        number_(c),
        bands_(rules.sampler.severities, rules.sampler.count),
        losses_(bands_.filled().size()),
        max_rounds_(sampler.options().max_rounds),
        rounds_(max_rounds_),
        tallies_(run_.tally_count()) {}

  std::size_t asked() const { return rules_.sampler.count * losses_.size(); }
  std::size_t kept() const { return outputs_.size(); }
  std::size_t candidates() const { return candidates_; }

  // False when stopped.
  bool draw(ProgressCounter& progress, const Context& context) {
    for (std::size_t r = 0; r <= rules_.redraws && !bands_.is_full(); ++r) {
      if (!progress.add(0)) return false;
      SampledRange<float> range = run_.sample(r * asked(), asked(), context);
      if (range.status != SolveStatus::kDone) return false;
      const std::size_t before = kept();
      take(accepted_part(std::move(range), max_rounds_));
      if (!progress.add(kept() - before)) return false;
    }
    return true;
  }

  // Moves everything out.
  void add_to(LatentOutliers& outliers, std::vector<DecodedImages>& decoded) {
    outliers.reports.push_back(report());
    for (std::size_t i = 0; i < run_.rows().size(); ++i) {
      outliers.bank_scores[run_.rows()[i]] = run_.scores()[i];
    }
    for (Output<float>& output : outputs_) {
      outliers.classes.push_back(run_.label());
      outliers.bank_rows.push_back(start(output));
      outliers.outputs.push_back(std::move(output));
    }
    std::move(decoded_.begin(), decoded_.end(), std::back_inserter(decoded));
  }

 private:
  std::size_t start(const Output<float>& output) const {
    return image::start_of(tools_.model.bank, rules_.sampler.rule, run_.label(),
                           output);
  }

  DecodedImages decode(const std::vector<Output<float>>& outputs) const {
    const std::size_t most = asked() * (rules_.redraws + 1);
    Matrix<float> latents(outputs.size(), tools_.model.bank.latents.cols());
    LatentsToDecode asked;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      std::ranges::copy(outputs[i].point, latents.row(i).begin());
      asked.classes.push_back(run_.label());
      asked.bank_rows.push_back(start(outputs[i]));
      asked.ids.push_back(kCandidateIds + number_ * most + outputs[i].k);
    }
    asked.latents = latents;
    return decode_latents(tools_, asked, rules_.decoding);
  }

  void take(OutlierPart<float> part) {
    add_tallies(tallies_, part.tallies);
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      rounds_[r] += part.rounds[r];
    }
    const std::size_t bands = losses_.size();
    for (BandLosses& losses : losses_) {
      losses.in_sampling += asked() / bands;
    }
    if (part.outputs.empty()) return;
    candidates_ += part.outputs.size();
    const DecodedImages images = decode(part.outputs);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
      const std::size_t drawn_for = part.outputs[i].k % bands;
      --losses_[drawn_for].in_sampling;
      const std::optional<std::size_t> band = band_of(images.energy[i]);
      losses_[drawn_for].in_decoding += band == drawn_for ? 0 : 1;
      if (!band || !bands_.has_room(*band)) continue;
      bands_.fill(*band);
      places.push_back(i);
      outputs_.push_back(std::move(part.outputs[i]));
    }
    if (!places.empty()) decoded_.push_back(chosen(images, places));
  }

  // Where an image is kept; nothing: nowhere.
  std::optional<std::size_t> band_of(double score) const {
    const LatentScorer& scorer = tools_.scorer;
    if (rules_.only_outside && !scorer.is_outside(run_.label(), score)) {
      return std::nullopt;
    }
    return bands_.band_of(scorer.tails().severity(number_, score));
  }

  Constraint binding(std::size_t band, Constraint by_sampler) const {
    const BandLosses& losses = losses_[band];
    return losses.in_decoding > 0 && losses.in_decoding >= losses.in_sampling
               ? Constraint::kDecoding
               : by_sampler;
  }

  ClassReport report() const {
    ClassReport report =
        run_.report(asked(), bands_.filled(), rounds_, tallies_);
    if (report.produced == report.requested) return report;
    if (report.bands.empty()) {
      report.binding = binding(0, report.binding);
      return report;
    }
    for (std::size_t b = 0; b < report.bands.size(); ++b) {
      BandReport& band = report.bands[b];
      if (band.produced == band.requested) continue;
      band.binding = binding(b, band.binding);
      report.binding = band.binding;
    }
    return report;
  }

  const DecodingTools& tools_;
  const DrawRules& rules_;
  ClassRun<float> run_;
  std::size_t number_;
  Bands bands_;
  std::vector<BandLosses> losses_;
  std::size_t max_rounds_;
  std::vector<std::size_t> rounds_;
  std::vector<AnchorTally> tallies_;
  std::vector<Output<float>> outputs_;
  std::vector<DecodedImages> decoded_;
  std::size_t candidates_ = 0;
};

SolveStatus status_of(const LatentOutliers& outliers) {
  const bool is_complete =
      std::ranges::all_of(outliers.reports, [](const ClassReport& report) {
        return report.produced == report.requested;
      });
  if (is_complete) return SolveStatus::kDone;
  return outliers.outputs.empty() ? SolveStatus::kInfeasible
                                  : SolveStatus::kPartial;
}

DrawnImages choose_images(const DecodingTools& tools, const DrawRules& rules,
                          const Context& context) {
  const image::FeatureBank& bank = tools.model.bank;
  DrawnImages drawn;
  LatentOutliers& outliers = drawn.outliers;
  outliers.class_anchors = image::present_anchors(bank, tools.model.anchors);
  outliers.bank_scores.resize(bank.latents.rows());
  const Context quiet{context.pool, nullptr};
  const Sampler<float> sampler({bank.latents,
                                bank.labels,
                                std::as_const(outliers.class_anchors).view(),
                                {}},
                               rules.sampler, quiet);
  const std::size_t classes = sampler.labels().size();
  const std::size_t bands =
      std::max<std::size_t>(1, rules.sampler.severities.size());
  ProgressCounter progress(context.observer,
                           classes * bands * rules.sampler.count);
  std::vector<DecodedImages> parts;
  for (std::size_t c = 0; c < classes; ++c) {
    ClassDraw draw(tools, rules, sampler, c, quiet);
    if (!draw.draw(progress, quiet)) {
      outliers.status = SolveStatus::kCancelled;
      return drawn;
    }
    drawn.candidates += draw.candidates();
    // What could not be had is done with, too.
    if (!progress.add(draw.asked() - draw.kept())) {
      outliers.status = SolveStatus::kCancelled;
      return drawn;
    }
    draw.add_to(outliers, parts);
  }
  outliers.latents = outliers.points(bank.latents.cols());
  outliers.status = status_of(outliers);
  if (parts.empty()) return drawn;
  static_cast<DecodedImages&>(drawn.decoded) = joined(parts);
  for (std::size_t i = 0; i < outliers.outputs.size(); ++i) {
    drawn.decoded.rows.push_back(i);
  }
  measure_decoded(tools, rules.decoding, drawn.decoded);
  return drawn;
}

DrawnImages draw_all(const DecodingTools& tools, const DrawRules& rules,
                     const Context& context) {
  DrawnImages drawn;
  drawn.outliers = image::draw_latent_outliers(
      tools.model.bank, tools.model.anchors, rules.sampler, context);
  const bool is_decoded = tools.decoder.kind() != DecoderKind::kNone &&
                          !drawn.outliers.outputs.empty();
  if (is_decoded && drawn.outliers.status != SolveStatus::kCancelled) {
    drawn.decoded = decode_outliers(tools, drawn.outliers, rules.decoding);
  }
  return drawn;
}

// Where every outlier lies, by its image or by its point.
void place(const LatentScorer& scorer, DrawnImages& drawn) {
  const LatentOutliers& outliers = drawn.outliers;
  std::vector<double> scores;
  for (const Output<float>& output : outliers.outputs) {
    scores.push_back(output.score);
  }
  drawn.is_outside.resize(scores.size());
  const DecodedOutliers& decoded = drawn.decoded;
  for (std::size_t i = 0; i < decoded.energy.size(); ++i) {
    const std::size_t row = decoded.rows[i];
    scores[row] = decoded.energy[i];
    drawn.is_outside[row] =
        scorer.is_outside(outliers.classes[row], decoded.energy[i]);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    drawn.rarities.push_back(scorer.rarity(outliers.classes[i], scores[i]));
  }
}

}  // namespace

std::size_t DrawnImages::known_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      is_outside,
      [](const std::optional<bool>& known) { return known.has_value(); }));
}

std::size_t DrawnImages::outside_count() const {
  return static_cast<std::size_t>(
      std::ranges::count(is_outside, std::optional<bool>(true)));
}

bool chooses_images(const DecodingTools& tools, const DrawRules& rules) {
  return (rules.only_outside || !rules.sampler.severities.empty()) &&
         tools.decoder.kind() != DecoderKind::kNone && tools.model.embed;
}

void require_severities(const image::ImageModel& model,
                        const SamplerOptions& options, const Context& context) {
  if (options.severities.empty()) return;
  const Matrix<double> anchors =
      image::present_anchors(model.bank, model.anchors);
  (void)Sampler<float>(
      {model.bank.latents, model.bank.labels, anchors.view(), {}}, options,
      {context.pool, nullptr});
}

DrawnImages draw_images(const DecodingTools& tools, const DrawRules& rules,
                        const Context& context) {
  DrawnImages drawn = chooses_images(tools, rules)
                          ? choose_images(tools, rules, context)
                          : draw_all(tools, rules, context);
  if (drawn.outliers.status != SolveStatus::kCancelled) {
    place(tools.scorer, drawn);
  }
  return drawn;
}

}  // namespace sbog::torch_jobs
