// SPDX-License-Identifier: Apache-2.0
// Unknown points of real encoders: heads that were shown outliers of several
// rules, scores that need none, and sums of both.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "paper/latent_cells.h"
#include "paper/latent_tasks.h"
#include "paper/registry.h"
#include "paper/table.h"

namespace sbog::paper {
namespace latent_table {
namespace {

constexpr const char* kTitle =
    "Unknown points of real encoders: outliers by several rules, at two "
    "scales, shown to one head; and scores that need none";

// Sums that a head is part of, and the headings of their FPR95.
constexpr std::array<std::pair<const char*, const char*>, 6> kSums = {{
    {"head + RMD", "+ RMD"},
    {"head + mean", "+ mean"},
    {"head + SPAN", "+ SPAN"},
    {"head + RMD + mean", "+ RMD + mean"},
    {"head + RMD + SPAN", "+ RMD + SPAN"},
    {"head + RMD + mean + SPAN", "+ RMD + mean + SPAN"},
}};

std::string pointer_to(const std::string& score, const char* figure) {
  Json::json_pointer pointer("/scores");
  pointer /= score;
  return pointer.to_string() + figure;
}

std::vector<Column> columns() {
  std::vector<Column> list = {{"task", Style::kText},
                              {"score", Style::kText},
                              {"outliers", Style::kText},
                              {"scale", Style::kText},
                              {"seeds", Style::kGeneral, 3},
                              {"distance", Style::kMeanSd, 2},
                              {"validation FPR95", Style::kMeanSd, 1},
                              {"FPR95", Style::kMeanSd, 1},
                              {"AUROC", Style::kMeanSd, 2}};
  for (const auto& [sum, name] : kSums) {
    list.push_back({std::string("FPR95 ") + name, Style::kMeanSd, 1});
  }
  list.push_back({"accuracy", Style::kMeanSd, 1});
  return list;
}

using Group = std::vector<FinishedCell>;

// One score of a group of cells that differ by seed.
std::vector<Json> row_of(const Group& group, const std::string& score) {
  const Json& config = group[0].configuration;
  const bool is_energy = config["part"] == "energy";
  const char* test = is_energy ? "" : "/test";
  const bool is_head = score == "head";
  std::vector<Json> row = {
      config["task"].get<std::string>() + (is_energy ? ", all rows" : ""),
      score,
      is_head ? config["name"] : Json(nullptr),
      is_head && !config["scale"].get_ref<const std::string&>().empty()
          ? config["scale"]
          : Json(nullptr),
      group.size(),
      is_head ? mean_sd_of(group, "/ratio") : Json(nullptr),
      mean_sd_of(group, pointer_to(score, "/validation/fpr95")),
      mean_sd_of(group,
                 pointer_to(score, (std::string(test) + "/fpr95").c_str())),
      mean_sd_of(group,
                 pointer_to(score, (std::string(test) + "/auroc").c_str()))};
  for (const auto& [sum, name] : kSums) {
    row.push_back(is_head ? mean_sd_of(group, pointer_to(sum, "/test/fpr95"))
                          : Json(nullptr));
  }
  row.push_back(is_head ? mean_sd_of(group, "/accuracy") : Json(nullptr));
  return row;
}

// Scores of a group that have a row of their own: sums with a head have
// columns.
std::vector<std::string> scores_of(const Group& group) {
  std::vector<std::string> names;
  for (const auto& [name, figures] : group[0].result.at("scores").items()) {
    if (!name.starts_with("head + ")) names.push_back(name);
  }
  return names;
}

Json radius_point(const Group& group) {
  const Json& config = group[0].configuration;
  return {{"task", config["task"]},
          {"law", config["name"]},
          {"r", config["radius"][0]},
          {"FPR95", mean_of(group, "/scores/head/test/fpr95")}};
}

std::vector<Group> groups_of(const std::vector<FinishedCell>& cells,
                             const std::string& task, const std::string& part) {
  std::vector<FinishedCell> some;
  for (const FinishedCell& cell : cells) {
    if (cell.configuration["task"] == task &&
        cell.configuration["part"] == part) {
      some.push_back(cell);
    }
  }
  return group_by(some, part == "head" || part == "radius"
                            ? std::vector<std::string>{"rule"}
                            : std::vector<std::string>{"part"});
}

std::vector<std::string> notes() {
  return {
      "In percent, lower FPR95 and higher AUROC are better; mean (s.d.) over "
      "the seeds, where there are several. FPR95 is the share of unknown rows "
      "taken for known at the threshold that keeps 95 % of the known ones. "
      "Columns that begin with 'FPR95 +' are of the mean of the head and these "
      "scores, each put to mean 0 and deviation 1 on held-out known rows; they "
      "and the three before 'accuracy' are on test rows, 'validation FPR95' on "
      "rows that choices may be made on. 'distance': median distance of the "
      "outliers to the bank, in units of that of bank rows from each other.",
      "Tasks: clinc150 (sentences, bge-small, 384 dimensions, 150 intents; "
      "unknown: requests of no intent), clinc150-near (30 intents left out are "
      "the unknown ones; five seeds leave out each intent once), clinc150-ten "
      "(ten rows per intent, drawn by the seed), cifar100-densenet (342 "
      "dimensions; validation: Textures; test: mean of SVHN, Tiny ImageNet, "
      "CIFAR-10). 'all rows': the whole bank and all test rows, on "
      "cifar100-densenet with Textures, as `sbog score` sees them.",
      "All heads are the same but for their outliers: 3,000 per epoch, fresh "
      "ones for noise, in turn from 9,000 for rules of the sampler; k-NN, KDE "
      "and balanced, which are slow, make 1,500 (k-NN and KDE from 256 "
      "proposals each) that every epoch shows. 'r 1.5-4': "
      "steps of such a length, drawn evenly; for VOS and BOOD the outlier is "
      "moved along its own direction, from its class mean or bank point, until "
      "the step is so long; tests of cosines, which no such step passes, are "
      "left out. Random with such steps is isotropic noise, boundary with such "
      "steps is exposure. The recipe is shaped noise with such steps, without "
      "any selection.",
      "Column 'seeds': of how many seeds the row is. A single r is tried on "
      "the "
      "first seed only; the chart shows its FPR95."};
}

Presentation present(const std::vector<FinishedCell>& cells) {
  Presentation shown{};
  shown.table.columns = columns();
  Json curve = Json::array();
  for (const auto& of_task : group_by(cells, {"task"})) {
    const std::string task = of_task[0].configuration["task"];
    for (const char* part : {"free", "head", "radius", "energy"}) {
      for (const Group& group : groups_of(cells, task, part)) {
        for (const std::string& score : scores_of(group)) {
          shown.table.rows.push_back(row_of(group, score));
        }
        if (std::string(part) == "radius") curve.push_back(radius_point(group));
      }
    }
  }
  shown.notes = notes();
  shown.chart = chart(kTitle, curve, {{"type", "line"}, {"point", true}},
                      {{"x", log_channel("r", "length r of a step")},
                       {"y", channel("FPR95", "quantitative", "FPR95, %")},
                       {"color", channel("law", "nominal", "noise")},
                       {"column", channel("task", "nominal", "task")}});
  return shown;
}

}  // namespace
}  // namespace latent_table

Experiment latents_experiment() {
  using namespace latent_table;
  return {"latents",           kTitle,  seeds_by_size(1, 5), latent_cells,
          compute_latent_cell, present, latents_obstacle};
}

}  // namespace sbog::paper
