// SPDX-License-Identifier: Apache-2.0
// Options and results of `train image`; the training itself is tested with
// LibTorch.
#include "sbog/job/train_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace train_image_test {

using job::TrainImageOptions;
using ::testing::HasSubstr;

std::string fault_of(const TrainImageOptions& options) {
  RecordedEvents events;
  try {
    run(options, events);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(TrainImage, the_table_reaches_every_part) {
  TrainImageOptions options;
  job::train_image_option_table().apply(
      std::vector<Assignment>{{"data", {"demo:shapes"}, "DATA"},
                              {"out", {"m"}, "--out"},
                              {"latent", {"8"}, "--latent"},
                              {"limit", {"20"}, "--limit"},
                              {"decoder", {"mix"}, "--decoder"},
                              {"robust", {"true"}, "--robust"}},
      options);
  job::train_image_option_table().check_required(options);
  EXPECT_EQ(options.data, "demo:shapes");
  EXPECT_EQ(options.model.latent, 8u);
  EXPECT_EQ(options.input.limit, 20u);
  EXPECT_EQ(options.decoder, "mix");
  EXPECT_TRUE(options.model.robust.robust);
  TrainImageOptions nowhere;
  EXPECT_THROW(job::train_image_option_table().check_required(nowhere),
               InvalidArgument);
}

TEST(TrainImage, an_encoder_from_elsewhere_is_not_trained) {
  TrainImageOptions options;
  options.encoder = "f.npy";
  options.epochs = 3;
  EXPECT_THAT(fault_of(options), HasSubstr("--epochs: an encoder given by"));
  options.epochs = 10;
  options.model.robust.robust = true;
  EXPECT_THAT(fault_of(options), HasSubstr("--robust: "));
  options.model.robust.robust = false;
  options.anchors = "simplex";
  EXPECT_THAT(fault_of(options), HasSubstr("means or a file"));
}

TEST(TrainImage, settings_are_checked_before_anything_is_loaded) {
  TrainImageOptions options;
  options.model.latent = 1;
  EXPECT_THAT(fault_of(options), HasSubstr("--latent"));
  options.model.latent = 8;
  options.model.robust.kappa = 0.2;
  EXPECT_THAT(fault_of(options), HasSubstr("--robust-kappa"));
}

TEST(TrainImage, machines_read_the_result) {
  job::TrainImageResult result;
  result.options.out = "m";
  result.shape = {1, 12, 12};
  result.encoder = "trained";
  const nlohmann::json json = to_json(result);
  EXPECT_EQ(json["model"], "m");
  EXPECT_EQ(json["shape"], (std::vector<int>{1, 12, 12}));
  EXPECT_EQ(json["encoder"], "trained");
  EXPECT_EQ(json["decoder"], "cvae");
}

}  // namespace train_image_test
}  // namespace sbog::testing_support
