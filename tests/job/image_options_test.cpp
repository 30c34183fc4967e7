// SPDX-License-Identifier: Apache-2.0
// Options of images: names, defaults, kinds, and what is refused.
#include "sbog/job/image_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace image_options_test {

using ::testing::HasSubstr;

TEST(ImageOptions,
     every_option_of_the_table_is_for_images_and_reaches_its_part) {
  const auto table = job::image_option_table();
  for (const OptionInfo& info : table.infos()) {
    EXPECT_EQ(info.kinds, kForImages) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
  }
  job::ImageSettings settings;
  table.apply(std::vector<Assignment>{{"side", {"12"}, "--side"},
                                      {"widths", {"4", "8"}, "--widths"},
                                      {"robust", {"true"}, "--robust"},
                                      {"robust_kappa", {"0.5"}, "kappa"},
                                      {"variation", {"fresh"}, "variation"}},
              settings);
  EXPECT_EQ(settings.input.side, 12u);
  EXPECT_EQ(settings.model.widths, (std::vector<std::size_t>{4, 8}));
  EXPECT_TRUE(settings.model.robust.robust);
  EXPECT_EQ(settings.model.robust.kappa, 0.5);
  EXPECT_EQ(settings.variation, "fresh");
}

TEST(ImageOptions, unknown_names_of_choices_are_refused_by_option) {
  for (const char* name : {"variation", "robust_atoms", "robust_sign"}) {
    job::ImageSettings settings;
    try {
      job::image_option_table().apply(
          std::vector<Assignment>{{name, {"pixel"}, name}}, settings);
      ADD_FAILURE() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  }
}

std::string fault_of(const job::ImageModelSettings& settings) {
  try {
    job::check_image_model(settings);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(ImageOptions, settings_of_robust_logits_need_robust_logits) {
  job::ImageModelSettings settings;
  EXPECT_EQ(fault_of(settings), "");
  settings.robust.kappa = 0.2;
  EXPECT_THAT(fault_of(settings), HasSubstr("--robust-kappa: it goes with"));
  settings.robust.robust = true;
  EXPECT_EQ(fault_of(settings), "");
}

TEST(ImageOptions, numbers_out_of_range_are_refused) {
  job::ImageModelSettings narrow;
  narrow.latent = 1;
  EXPECT_THAT(fault_of(narrow), HasSubstr("--latent"));
  job::ImageModelSettings wide;
  wide.latent = 4097;
  EXPECT_THAT(fault_of(wide), HasSubstr("--latent"));
  job::ImageModelSettings empty;
  empty.per_class = 0;
  EXPECT_THAT(fault_of(empty), HasSubstr("--per-class"));
}

}  // namespace image_options_test
}  // namespace sbog::testing_support
