// SPDX-License-Identifier: Apache-2.0
// Files of a run for its report; see report_files.h.
#include "sbog/job/report_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/dataset.h"
#include "sbog/job/files.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using Ordered = nlohmann::ordered_json;

// Whether the page can read it.
bool is_certificate(const Ordered& json) {
  const auto has = [](const Ordered& object, const char* key, auto is) {
    return object.contains(key) && (object.at(key).*is)();
  };
  if (!json.is_object() || !has(json, "certified", &Ordered::is_boolean) ||
      !has(json, "caveat", &Ordered::is_string) ||
      !has(json, "delta", &Ordered::is_number) ||
      !has(json, "sentences", &Ordered::is_array) ||
      !has(json, "growth", &Ordered::is_array) ||
      !has(json, "totals", &Ordered::is_object) ||
      !has(json, "classes", &Ordered::is_array) ||
      !has(json, "calculators", &Ordered::is_object)) {
    return false;
  }
  const auto all = [](const Ordered& list, const auto& is) {
    return std::all_of(list.begin(), list.end(), is);
  };
  for (const char* key : {"outliers", "accepted", "certified_accept",
                          "certified_reject", "undecided"}) {
    if (!has(json["totals"], key, &Ordered::is_number)) return false;
  }
  return all(json["sentences"],
             [](const Ordered& s) { return s.is_string(); }) &&
         all(json["growth"],
             [&](const Ordered& g) {
               return g.is_object() && has(g, "factor", &Ordered::is_number) &&
                      has(g, "certified_share", &Ordered::is_number);
             }) &&
         all(json["classes"], [&](const Ordered& c) {
           return c.is_object() &&
                  has(c, "label", &Ordered::is_number_integer) &&
                  c.contains("threshold");
         });
}

// A class without outliers is not in the certificate.
Ordered empty_class(std::int64_t label, const ReportClass& cls) {
  return {{"label", label},
          {"reference", cls.reference},
          {"calibration", 0},
          {"outliers", 0},
          {"threshold", cls.threshold},
          {"ceiling", nullptr},
          {"smallest_epsilon", nullptr}};
}

Ordered classes_in_order(const Ordered& found,
                         const std::vector<std::int64_t>& labels,
                         const std::vector<ReportClass>& classes) {
  Ordered list = Ordered::array();
  for (std::size_t c = 0; c < labels.size(); ++c) {
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const Ordered& entry) {
          return found.size() == 1 && labels.size() == 1
                     ? true  // without classes there is no label to compare
                     : entry["label"] == labels[c];
        });
    list.push_back(at == found.end() ? empty_class(labels[c], classes[c])
                                     : *at);
  }
  return list;
}

}  // namespace

nlohmann::json json_of_file(const std::string& path) {
  nlohmann::json json = parse_stored_json(read_file(path));
  if (json.is_discarded()) throw IoError(path, "is not JSON");
  return json;
}

std::vector<double> bank_energies(const FinishedRun& run, std::size_t rows) {
  const std::string path = run.file("bank_energies.npy");
  if (!run.has_file("bank_energies.npy")) {
    throw IoError(path,
                  "is missing; a run of sbog generate that ended has one");
  }
  std::vector<double> energies = to_vector(read_array(path));
  if (energies.size() != rows) {
    throw IoError(path, "has " + std::to_string(energies.size()) +
                            " energies for " + std::to_string(rows) +
                            " bank points");
  }
  return energies;
}

void read_run_facts(const FinishedRun& run, ReportData& data) {
  const nlohmann::json& manifest = run.manifest();
  ReportRun& facts = data.run;
  facts.name = run.folder();
  facts.kind = run.kind();
  facts.input = run.input();
  facts.input_checksum = manifest.at("input_checksum").get<std::string>();
  facts.run = manifest.at("run").get<std::string>();
  facts.seed = run.seed();
  facts.version = manifest.at("version").get<std::string>();
  facts.state = manifest.at("state").get<std::string>();
  facts.requested = manifest.at("requested").get<std::size_t>();
  facts.produced = manifest.at("produced").get<std::size_t>();
  data.config = read_file(run.file("config.toml"));
  std::filesystem::path again(run.folder());
  if (!again.has_filename()) again = again.parent_path();
  data.command = "sbog generate " + shell_word(facts.input) + " --config " +
                 shell_word(run.file("config.toml")) + " --out " +
                 shell_word(again.string() + "-again");
}

std::vector<ReportMetric> metrics_of(const nlohmann::json& json) {
  std::vector<ReportMetric> metrics;
  for (const nlohmann::json& entry : json.at("metrics")) {
    ReportMetric metric;
    metric.name = entry.at("name").get<std::string>();
    if (!entry.at("value").is_null()) {
      metric.value = entry.at("value").get<double>();
    }
    metric.direction = entry.at("direction").get<std::string>();
    metric.meaning = entry.at("meaning").get<std::string>();
    metric.reason = entry.value("reason", "");
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::string certificate_of(const std::string& path,
                           const std::vector<std::int64_t>& labels,
                           const std::vector<ReportClass>& classes) {
  Ordered json = Ordered::parse(read_file(path), nullptr, false);
  if (json.is_discarded() || !is_certificate(json)) {
    throw IoError(path,
                  "is not what sbog certify writes; remove it, and sbog report "
                  "makes it again");
  }
  json["classes"] = classes_in_order(json["classes"], labels, classes);
  Ordered& calculators = json["calculators"];
  if (!calculators.contains("required_n")) {
    calculators["required_n"] = {{"margin", 0.0},
                                 {"hoeffding_paper", nullptr},
                                 {"two_sided_relative", nullptr},
                                 {"one_sided_kl", nullptr}};
  }
  for (const char* key : {"knn_theorem", "uniform_bound"}) {
    if (!calculators.contains(key)) calculators[key] = nullptr;
  }
  return stored_json(json, -1);
}

void name_classes(const std::string& path, std::vector<ReportClass>& classes) {
  if (path.empty()) return;
  std::istringstream text(read_file(path));
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    names.push_back(line);
  }
  if (names.size() != classes.size()) {
    throw InvalidArgument("--names: one line per class is expected (" +
                          std::to_string(classes.size()) + "), got " +
                          std::to_string(names.size()));
  }
  for (std::size_t c = 0; c < names.size(); ++c) classes[c].name = names[c];
}

}  // namespace sbog::job
