// SPDX-License-Identifier: Apache-2.0
// See latent_tasks.h.
#include "paper/latent_tasks.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "paper/latents.h"
#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/data/npy.h"
#include "sbog/nn/random.h"

namespace sbog::paper {
namespace latent_tasks {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClinc = "clinc150";
constexpr const char* kNear = "clinc150-near";
constexpr const char* kTen = "clinc150-ten";
constexpr const char* kCifar = "cifar100-densenet";
constexpr const char* kMade = "made";
constexpr std::size_t kLeftOutIntents = 30;
constexpr std::size_t kShots = 10;
constexpr std::size_t kCifarHeldOut = 20;  // rows per class, train and test
// Keys of what is drawn once for all seeds.
constexpr std::uint64_t kIntentKey = 20240;
constexpr std::uint64_t kSplitKey = 77;
constexpr std::uint64_t kShotKey = 600;

// Unit rows with labels.
struct LabelledRows {
  Matrix<float> points;
  std::vector<std::int64_t> labels;
};

Matrix<float> read_points(const std::string& data, const std::string& file) {
  const std::string path = (fs::path(data) / file).string();
  return detect::unit_rows(to_matrix<float>(read_npy(path)).view(), path);
}

LabelledRows read_part(const std::string& data, const std::string& points,
                       const std::string& labels) {
  LabelledRows rows{read_points(data, points),
                    to_labels(read_npy((fs::path(data) / labels).string()))};
  check_label_count(rows.labels, rows.points.rows(), labels);
  return rows;
}

LabelledRows clinc_part(const std::string& data, const std::string& part) {
  const std::string folder = std::string(kClinc) + "/";
  return read_part(data, folder + "bge-small_" + part + ".npy",
                   folder + part + "_labels.npy");
}

Matrix<float> clinc_unknown(const std::string& data, const std::string& part) {
  return read_points(data,
                     std::string(kClinc) + "/bge-small_oos_" + part + ".npy");
}

LabelledRows cifar_part(const std::string& data, const std::string& part) {
  const std::string folder = std::string(kCifar) + "/";
  return read_part(data, folder + part + ".npy", folder + part + "_labels.npy");
}

Matrix<float> cifar_unknown(const std::string& data, const std::string& set) {
  return read_points(data, std::string(kCifar) + "/ood_" + set + ".npy");
}

LabelledRows rows_of(const LabelledRows& all,
                     const std::vector<std::size_t>& rows) {
  LabelledRows some{copy_rows<float>(all.points, rows), {}};
  for (const std::size_t row : rows) some.labels.push_back(all.labels[row]);
  return some;
}

// Rows in two parts: those for which `is_first` holds, and the others.
template <typename Test>
std::pair<LabelledRows, LabelledRows> split_rows(const LabelledRows& all,
                                                 const Test& is_first) {
  std::array<std::vector<std::size_t>, 2> rows;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    rows[is_first(i) ? 0 : 1].push_back(i);
  }
  return {rows_of(all, rows[0]), rows_of(all, rows[1])};
}

// `count` rows of every class from position `first` on, in an order by key.
std::vector<std::size_t> draw_per_class(const LabelledRows& all,
                                        std::size_t first, std::size_t count,
                                        std::uint64_t key) {
  std::vector<std::size_t> drawn;
  for (const auto& [label, rows] : rows_by_label(all.labels)) {
    const std::vector<std::size_t> order =
        nn::shuffled_order(rows.size(), key, static_cast<std::uint64_t>(label));
    for (std::size_t k = first; k < std::min(first + count, rows.size()); ++k) {
      drawn.push_back(rows[order[k]]);
    }
  }
  std::ranges::sort(drawn);
  return drawn;
}

detect::LabelledBank bank_of(const LabelledRows& rows) {
  return detect::make_bank(rows.points, rows.labels, "bank");
}

LatentRows asked(LabelledRows known) {
  return {std::move(known.points), std::move(known.labels), {}};
}

LatentTask load_clinc(const std::string& data) {
  LatentTask task;
  task.bank = bank_of(clinc_part(data, "train"));
  task.validation = asked(clinc_part(data, "val"));
  task.held_out = clinc_part(data, "val").points;
  task.validation.unknown.emplace_back("oos", clinc_unknown(data, "val"));
  task.test = asked(clinc_part(data, "test"));
  task.test.unknown.emplace_back("oos", clinc_unknown(data, "test"));
  task.real_outliers = clinc_unknown(data, "train");
  return task;
}

LatentTask load_near(std::uint64_t seed, const std::string& data) {
  const LabelledRows train = clinc_part(data, "train");
  const auto intents = detect::make_bank(train.points, train.labels, "train");
  const std::vector<std::size_t> order =
      nn::shuffled_order(intents.class_count(), kIntentKey, 0);
  const std::size_t groups =
      std::max<std::size_t>(1, order.size() / kLeftOutIntents);
  std::vector<std::int64_t> left_out;
  const std::size_t first = (seed + groups - 1) % groups * kLeftOutIntents;
  for (std::size_t k = 0; k < kLeftOutIntents; ++k) {
    left_out.push_back(intents.class_labels[order.at(first + k)]);
  }
  const auto split = [&](const LabelledRows& rows) {
    return split_rows(rows, [&](std::size_t i) {
      return std::ranges::count(left_out, rows.labels[i]) == 0;
    });
  };
  LatentTask task;
  task.bank = bank_of(split(train).first);
  auto [val, near_val] = split(clinc_part(data, "val"));
  task.held_out = copy_rows<float>(val.points, all_rows(val.points.rows()));
  task.validation = asked(std::move(val));
  task.validation.unknown.emplace_back("intents", std::move(near_val.points));
  auto [test, near_test] = split(clinc_part(data, "test"));
  task.test = asked(std::move(test));
  task.test.unknown.emplace_back("intents", std::move(near_test.points));
  return task;
}

LatentTask load_ten(std::uint64_t seed, const std::string& data) {
  const LabelledRows train = clinc_part(data, "train");
  LatentTask task = load_clinc(data);
  const std::uint64_t key = kShotKey + seed;
  task.bank = bank_of(rows_of(train, draw_per_class(train, 0, kShots, key)));
  task.held_out =
      rows_of(train, draw_per_class(train, kShots, kShots, key)).points;
  return task;
}

LatentTask load_cifar(const std::string& data) {
  const auto split = [](const LabelledRows& rows) {
    const auto drawn = draw_per_class(rows, 0, kCifarHeldOut, kSplitKey);
    return split_rows(rows, [&](std::size_t i) {
      return std::ranges::binary_search(drawn, i);
    });
  };
  LatentTask task;
  auto [held_out, bank] = split(cifar_part(data, "train"));
  task.bank = bank_of(bank);
  task.held_out = std::move(held_out.points);
  auto [val, test] = split(cifar_part(data, "test"));
  task.validation = asked(std::move(val));
  task.validation.unknown.emplace_back("textures",
                                       cifar_unknown(data, "textures"));
  task.test = asked(std::move(test));
  for (const char* set : {"svhn", "tiny-imagenet", "cifar-10"}) {
    task.test.unknown.emplace_back(set, cifar_unknown(data, set));
  }
  return task;
}

// Six components, of which two are unknown.
LatentTask make_task() {
  const LatentLaw law{7, 12, 6, 0.6};
  const auto part = [&](LatentPart which, std::size_t count) {
    auto sample = draw_latents<float>(law, which, count);
    const LabelledRows rows{std::move(sample.points), std::move(sample.labels)};
    return split_rows(rows, [&](std::size_t i) { return rows.labels[i] < 4; });
  };
  LatentTask task;
  auto [bank, real] = part(LatentPart::kBank, 240);
  task.bank = bank_of(bank);
  task.real_outliers = std::move(real.points);
  auto [val, unknown_val] = part(LatentPart::kFresh, 150);
  task.held_out = copy_rows<float>(val.points, all_rows(val.points.rows()));
  task.validation = asked(std::move(val));
  task.validation.unknown.emplace_back("others", std::move(unknown_val.points));
  auto [test, unknown_test] = part(LatentPart::kPopulation, 300);
  task.test = asked(std::move(test));
  task.test.unknown.emplace_back("others", std::move(unknown_test.points));
  return task;
}

}  // namespace
}  // namespace latent_tasks

std::string latents_obstacle(const Settings& settings) {
  const bool is_missing = settings.data.empty() && settings.size == Size::kFull;
  return is_missing ? "the full size needs --data DIR, a folder with clinc150 "
                      "and cifar100-densenet"
                    : "";
}

std::vector<std::string> list_latent_tasks(const Settings& settings) {
  using namespace latent_tasks;
  if (settings.data.empty()) return {kMade};
  std::error_code error;
  const auto is_there = [&](const char* set, const char* file) {
    return fs::exists(fs::path(settings.data) / set / file, error);
  };
  std::vector<std::string> sets;
  if (is_there(kClinc, "bge-small_train.npy")) sets.emplace_back(kClinc);
  if (is_there(kCifar, "train.npy")) sets.emplace_back(kCifar);
  if (sets.empty()) {
    throw IoError(settings.data,
                  "holds neither clinc150 nor cifar100-densenet");
  }
  std::vector<std::string> tasks;
  for (const std::string& set : wanted_sets(settings, sets)) {
    tasks.push_back(set);
    if (set == kClinc) tasks.insert(tasks.end(), {kNear, kTen});
  }
  return tasks;
}

bool is_keyed_by_seed(const std::string& task) {
  using namespace latent_tasks;
  return task == kNear || task == kTen;
}

LatentTask load_latent_task(const std::string& task, std::uint64_t seed,
                            const std::string& data) {
  using namespace latent_tasks;
  if (task == kMade) return make_task();
  if (task == kClinc) return load_clinc(data);
  if (task == kNear) return load_near(seed, data);
  if (task == kTen) return load_ten(seed, data);
  if (task == kCifar) return load_cifar(data);
  throw InvalidArgument("'" + task + "' is no task of latents");
}

LatentTask load_whole_set(const std::string& set, const std::string& data) {
  using namespace latent_tasks;
  LatentTask task;
  if (set != kCifar) {
    task = load_latent_task(set, 1, data);
    task.validation = {};
    task.real_outliers = {};
    return task;
  }
  task.bank = bank_of(cifar_part(data, "train"));
  task.test = asked(cifar_part(data, "test"));
  for (const char* other : {"svhn", "textures", "tiny-imagenet", "cifar-10"}) {
    task.test.unknown.emplace_back(other, cifar_unknown(data, other));
  }
  return task;
}

}  // namespace sbog::paper
