// SPDX-License-Identifier: Apache-2.0
// Sentences of certificates made by hand.
#include "sbog/certify/plain_sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "certify/support.h"

namespace sbog {
namespace plain_sentences_test {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::kInfinity;

// `certified` of `accepted` accepted outliers are certified; the rest needs
// `required` points each. 4,000 reference points.
Certificate example(std::size_t accepted, std::size_t certified,
                    double required) {
  Certificate made;
  made.epsilon = 0.05;
  made.pool = 400.0;
  CertificateClass cls;
  cls.reference_count = 4000;
  cls.effective_count = 4000.0;
  cls.calibration_count = 2000;
  cls.threshold = 0.1;
  cls.is_conformal = true;
  cls.ceiling = 0.3;
  made.classes = {cls};
  for (std::size_t i = 0; i < accepted; ++i) {
    OutlierCertificate one;
    const bool is_certified = i < certified;
    one.energy = is_certified ? 0.25 : 0.1001;
    one.is_accepted = true;
    one.label = is_certified ? DecisionLabel::kCertifiedAccept
                             : DecisionLabel::kUndecided;
    one.required_count = is_certified ? 1000.0 : required;
    one.p_value = 0.01;
    made.outliers.push_back(one);
  }
  return made;
}

std::vector<std::string> sentences_of(Certificate certificate) {
  certificate.totals = total_certificate(certificate);
  return plain_sentences(certificate);
}

const char* const kMeaning =
    "Certified means that, with a probability of at least 95 % over the draw "
    "of the reference, no certified decision among 400 candidates differs "
    "from the one that unlimited data would give.";
const char* const kConformal =
    "A fresh in-distribution point exceeds the threshold (level 0.95) with a "
    "probability of at most 5 % (2,000 calibration points, no other "
    "assumption).";

TEST(PlainSentences, an_epsilon_from_the_same_points_is_told) {
  Certificate made = example(400, 216, 50000.0);
  made.is_epsilon_calibrated = true;
  EXPECT_THAT(plain_sentences(made),
              testing::Contains(testing::HasSubstr(
                  "2,000 calibration points, which epsilon was found from "
                  "too).")));
}

TEST(PlainSentences, a_part_is_certified_and_more_would_be) {
  Certificate made = example(400, 216, 50000.0);
  for (std::size_t i = 216; i < 324; ++i) {
    made.outliers[i].required_count = 15000.0;
  }
  made.outliers[399].p_value = 0.2;
  const auto found = sentences_of(made);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0],
            "With 4,000 reference points, 54 % of the 400 accepted outliers "
            "are certified at 95 %; 16,000 would certify about 81 %.");
  EXPECT_THAT(found[1],
              testing::StartsWith("To certify all of them you would need about "
                                  "50,000 reference points"));
  EXPECT_EQ(found[2], kConformal);
  EXPECT_EQ(found[3],
            "399 of the 400 outliers have a conformal p-value of at most 5 %; "
            "the smallest is 0.01.");
  EXPECT_EQ(found[4], kMeaning);
}

TEST(PlainSentences, the_epsilon_for_all_is_named_where_there_is_one) {
  Certificate made = example(10, 5, 8000.0);
  for (auto& one : made.outliers) one.energy = 0.25;
  made.classes[0].threshold = 0.2;
  made.epsilon = 0.01;
  made.totals = total_certificate(made);
  ASSERT_TRUE(std::isfinite(made.totals.epsilon_for_all));
  made.totals.epsilon_for_all = 0.04567;
  EXPECT_EQ(plain_sentences(made)[1],
            "To certify all of them you would need about 8,000 reference "
            "points or, at these energies, epsilon >= 0.0457.");
}

TEST(PlainSentences, a_few_near_the_threshold_do_not_hide_the_price) {
  Certificate made = example(400, 200, 50000.0);
  for (std::size_t i = 390; i < 400; ++i) {
    made.outliers[i].required_count = 12e9;
  }
  EXPECT_EQ(sentences_of(made)[1],
            "To certify 95 % of them you would need about 50,000 reference "
            "points; all of them take about 12,000,000,000 reference points.");
  made.outliers[399].required_count = kInfinity;
  EXPECT_EQ(sentences_of(made)[1],
            "To certify 95 % of them you would need about 50,000 reference "
            "points; no number is enough for all of them, because 1 outlier "
            "lies on the threshold itself.");
}

TEST(PlainSentences, all_are_certified) {
  EXPECT_THAT(sentences_of(example(400, 400, 0.0)),
              ElementsAre("With 4,000 reference points, all 400 accepted "
                          "outliers are certified at 95 %.",
                          kConformal,
                          "400 of the 400 outliers have a conformal p-value of "
                          "at most 5 %; the smallest is 0.01.",
                          kMeaning));
}

TEST(PlainSentences, none_is_certified_and_it_takes_many) {
  const auto found = sentences_of(example(400, 0, 123456.0));
  EXPECT_EQ(found[0],
            "With 4,000 reference points, none of the 400 accepted outliers is "
            "certified at 95 %; it takes about 130,000 to certify 50 %.");
}

TEST(PlainSentences, one_outlier_is_spoken_of_as_one) {
  EXPECT_EQ(sentences_of(example(1, 1, 0.0))[0],
            "With 4,000 reference points, the one accepted outlier is "
            "certified at 95 %.");
  const auto found = sentences_of(example(1, 0, 9000.0));
  EXPECT_EQ(found[0],
            "With 4,000 reference points, the one accepted outlier is not "
            "certified at 95 %.");
  EXPECT_THAT(found[1], testing::StartsWith("To certify it you would need "
                                            "about 9,000 reference points"));
  EXPECT_THAT(found, Contains("1 of the 1 outlier has a conformal p-value of "
                              "at most 5 %; the smallest is 0.01."));
}

TEST(PlainSentences, none_is_accepted) {
  Certificate made = example(40, 0, 9000.0);
  for (auto& one : made.outliers) one.is_accepted = false;
  made.outliers[0].label = DecisionLabel::kCertifiedReject;
  const auto found = sentences_of(made);
  EXPECT_EQ(found[0],
            "None of the 40 outliers reaches the threshold on the 4,000 "
            "reference points, so there is no acceptance to certify.");
  EXPECT_EQ(found[1], "1 outlier is certified to lie below it.");
  EXPECT_THAT(found, Not(Contains(HasSubstr("To certify"))));
}

TEST(PlainSentences, some_do_not_reach_the_threshold) {
  Certificate made = example(40, 30, 9000.0);
  for (std::size_t i = 36; i < 40; ++i) made.outliers[i].is_accepted = false;
  made.outliers[39].label = DecisionLabel::kCertifiedReject;
  made.outliers[38].label = DecisionLabel::kCertifiedReject;
  EXPECT_THAT(sentences_of(made),
              Contains("4 of the 40 outliers do not reach the threshold on the "
                       "reference; 2 of them are certified to lie below it."));
}

TEST(PlainSentences, a_ceiling_below_the_threshold_is_told_with_the_way_out) {
  Certificate made = example(40, 0, 90000.0);
  made.epsilon = 0.02;
  made.classes[0].threshold = 0.12;
  made.classes[0].ceiling = 0.0864;
  made.classes[0].smallest_epsilon = 0.02779;
  made.classes[0].smallest_count = 21560.0;
  EXPECT_THAT(
      sentences_of(made),
      Contains("No acceptance can be certified: the threshold 0.12 is above "
               "0.0864, the highest energy that 4,000 reference points can "
               "vouch for at epsilon 0.02; it takes epsilon >= 0.0278 or at "
               "least 22,000 reference points."));
  made.classes.push_back(made.classes[0]);
  made.classes[1].label = 7;
  made.classes[1].smallest_epsilon = 0.03;
  made.classes.push_back(example(1, 1, 0.0).classes[0]);
  EXPECT_THAT(sentences_of(made),
              Contains(AllOf(HasSubstr("In 2 of 3 classes no acceptance can be "
                                       "certified; in class 7 the threshold"),
                             HasSubstr("epsilon >= 0.03"))));
}

TEST(PlainSentences, an_outlier_on_the_threshold_is_named) {
  Certificate made = example(40, 38, 9000.0);
  made.outliers[39].required_count = kInfinity;
  made.outliers[39].energy = 0.1;
  EXPECT_EQ(
      sentences_of(made)[1],
      "No number of reference points is enough for all of them, because 1 "
      "outlier lies on the threshold itself.");
}

TEST(PlainSentences, shares_near_the_ends_are_not_rounded_to_them) {
  EXPECT_THAT(sentences_of(example(1000, 999, 9000.0))[0],
              HasSubstr("more than 99 % of the 1,000 accepted outliers are "
                        "certified at 95 %; 16,000 would certify all."));
  EXPECT_THAT(sentences_of(example(1000, 1, 9000.0))[0],
              HasSubstr("less than 1 % of the 1,000"));
}

TEST(PlainSentences, what_is_not_certified_is_never_called_so) {
  Certificate made = example(40, 30, 9000.0);
  made.is_certified = false;
  made.caveat = "the reference is weighted";
  made.classes[0].effective_count = 2500.0;
  const auto found = sentences_of(made);
  EXPECT_THAT(found[0],
              testing::StartsWith("With 4,000 weighted reference points, 75 % "
                                  "of the 40 accepted outliers are clear of "
                                  "the threshold at 95 %; 16,000 would "
                                  "clear all."));
  EXPECT_THAT(found[1], testing::StartsWith("To clear all of them"));
  EXPECT_EQ(found.back(), "Not certified: the reference is weighted.");
  EXPECT_THAT(found, Each(Not(HasSubstr("Certified means"))));
}

TEST(PlainSentences, a_given_threshold_promises_no_exceedance) {
  Certificate made = example(40, 30, 9000.0);
  made.classes[0].is_conformal = false;
  made.classes[0].calibration_count = 0;
  const auto found = sentences_of(made);
  EXPECT_THAT(found, Each(Not(HasSubstr("in-distribution"))));
  EXPECT_THAT(found, Each(Not(HasSubstr("p-value"))));
}

TEST(PlainSentences, classes_are_counted) {
  Certificate made = example(40, 40, 0.0);
  made.classes.push_back(made.classes[0]);
  EXPECT_EQ(sentences_of(made)[0],
            "With 8,000 reference points in 2 classes, all 40 accepted "
            "outliers are certified at 95 %.");
}

TEST(PlainSentences, nothing_is_said_of_nothing) {
  EXPECT_THAT(plain_sentences({}),
              ElementsAre("There are no outliers to certify."));
}

}  // namespace plain_sentences_test
}  // namespace sbog
