// SPDX-License-Identifier: Apache-2.0
// Files of a run for its report; see report_files.h.
#include "report_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "about/completion_words.h"
#include "sbog/base/errors.h"
#include "sbog/data/dataset.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

// Whether the page can read it.
bool is_certificate(const Json& json) {
  const auto has = [](const Json& object, const char* key, auto is) {
    return object.contains(key) && (object.at(key).*is)();
  };
  if (!json.is_object() || !has(json, "certified", &Json::is_boolean) ||
      !has(json, "caveat", &Json::is_string) ||
      !has(json, "delta", &Json::is_number) ||
      !has(json, "sentences", &Json::is_array) ||
      !has(json, "growth", &Json::is_array) ||
      !has(json, "totals", &Json::is_object) ||
      !has(json, "classes", &Json::is_array) ||
      !has(json, "calculators", &Json::is_object)) {
    return false;
  }
  const auto all = [](const Json& list, const auto& is) {
    return std::all_of(list.begin(), list.end(), is);
  };
  for (const char* key : {"outliers", "accepted", "certified_accept",
                          "certified_reject", "undecided"}) {
    if (!has(json["totals"], key, &Json::is_number)) return false;
  }
  return all(json["sentences"], [](const Json& s) { return s.is_string(); }) &&
         all(json["growth"],
             [&](const Json& g) {
               return g.is_object() && has(g, "factor", &Json::is_number) &&
                      has(g, "certified_share", &Json::is_number);
             }) &&
         all(json["classes"], [&](const Json& c) {
           return c.is_object() && has(c, "label", &Json::is_number_integer) &&
                  c.contains("threshold");
         });
}

// A class without outliers is not in the certificate.
Json empty_class(std::int64_t label, const ReportClass& cls) {
  return {{"label", label},
          {"reference", cls.reference},
          {"calibration", 0},
          {"outliers", 0},
          {"threshold", cls.threshold},
          {"ceiling", nullptr},
          {"smallest_epsilon", nullptr}};
}

Json classes_in_order(const Json& found,
                      const std::vector<std::int64_t>& labels,
                      const std::vector<ReportClass>& classes) {
  Json list = Json::array();
  for (std::size_t c = 0; c < labels.size(); ++c) {
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const Json& entry) {
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

std::string run_file(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

bool has_run_file(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(run_file(folder, name), ignored);
}

std::string run_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path, "cannot be opened");
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json run_json(const std::string& path) {
  nlohmann::json json = nlohmann::json::parse(run_text(path), nullptr, false);
  if (json.is_discarded()) throw IoError(path, "is not JSON");
  return json;
}

std::vector<double> bank_energies(const std::string& folder, std::size_t rows) {
  const std::string path = run_file(folder, "bank_energies.npy");
  if (!has_run_file(folder, "bank_energies.npy")) {
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

void read_run_facts(const ReportArguments& arguments,
                    const nlohmann::json& manifest, ReportData& data) {
  ReportRun& run = data.run;
  run.name = arguments.run;
  run.kind = manifest.value("kind", "latent");
  run.input = manifest.at("input").get<std::string>();
  run.input_checksum = manifest.at("input_checksum").get<std::string>();
  run.run = manifest.at("run").get<std::string>();
  run.seed = manifest.at("seed").get<std::uint64_t>();
  run.version = manifest.at("version").get<std::string>();
  run.state = manifest.at("state").get<std::string>();
  run.requested = manifest.at("requested").get<std::size_t>();
  run.produced = manifest.at("produced").get<std::size_t>();
  data.config = run_text(run_file(arguments.run, "config.toml"));
  std::filesystem::path again(arguments.run);
  if (!again.has_filename()) again = again.parent_path();
  data.command = "sbog generate " + shell_word(run.input) + " --config " +
                 shell_word(run_file(arguments.run, "config.toml")) +
                 " --out " + shell_word(again.string() + "-again");
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
  Json json = Json::parse(run_text(path), nullptr, false);
  if (json.is_discarded() || !is_certificate(json)) {
    throw IoError(path,
                  "is not what sbog certify writes; remove it, and sbog report "
                  "makes it again");
  }
  json["classes"] = classes_in_order(json["classes"], labels, classes);
  Json& calculators = json["calculators"];
  if (!calculators.contains("required_n")) {
    calculators["required_n"] = {{"margin", 0.0},
                                 {"hoeffding_paper", nullptr},
                                 {"two_sided_relative", nullptr},
                                 {"one_sided_kl", nullptr}};
  }
  for (const char* key : {"knn_theorem", "uniform_bound"}) {
    if (!calculators.contains(key)) calculators[key] = nullptr;
  }
  return json.dump();
}

void name_classes(const std::string& path, std::vector<ReportClass>& classes) {
  if (path.empty()) return;
  std::istringstream text(run_text(path));
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

std::string shell_word(const std::string& text) {
  const bool is_plain =
      !text.empty() &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
          "_-./:,=+@%") == std::string::npos;
  if (is_plain) return text;
  return shell_quoted(text);
}

}  // namespace sbog::cli
