// SPDX-License-Identifier: Apache-2.0
// See certify.h.
#include "sbog/job/certify.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/certify/plain_sentences.h"
#include "sbog/energy/energy_model.h"
#include "sbog/job/certify_inputs.h"
#include "sbog/job/files.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

// What a run may be asked; all else is in its folder.
const std::set<std::string> kAskedOfRuns = {
    "target", "bank", "delta", "seed", "out", "table", "replicates"};

void check(const CertifyOptions& o) {
  const auto need = [](bool ok, const std::string& sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(o.delta > 0.0 && o.delta < 1.0,
       "--delta: a number in (0, 1) is expected");
  need(o.count > 0, "--count: at least 1 is expected");
  need(o.outlier_labels.empty() || !o.energy.labels.empty(),
       "--outlier-labels needs --labels");
  need(o.outlier_labels.empty() || !o.outliers.empty(),
       "--outlier-labels needs --outliers");
  need(o.energy.weights.empty() || !o.outliers.empty(),
       "--weights needs --outliers");
  need(o.is_run() || o.bank.empty(), "--bank goes with a run folder only");
  o.energy.epsilon.check();
  check_writable(o.out);
  check_writable(o.table);
  if (!o.is_run()) return;
  for (const OptionInfo& option : certify_option_table().changed(o)) {
    need(kAskedOfRuns.contains(option.name),
         command_line_name(option) + ": a run has its own settings");
  }
}

void write_certificate_table(const std::string& path,
                             const Certificate& certificate) {
  std::string text =
      "index,class,energy,energy_low,energy_high,accepted,label,p_value,"
      "required_n\n";
  char line[256];
  for (std::size_t i = 0; i < certificate.outliers.size(); ++i) {
    const OutlierCertificate& o = certificate.outliers[i];
    std::snprintf(
        line, sizeof line, "%zu,%lld,%.17g,%.17g,%.17g,%d,%s,%.17g,%.17g\n", i,
        static_cast<long long>(certificate.classes[o.cls].label), o.energy,
        o.energies.low, o.energies.high, o.is_accepted ? 1 : 0,
        to_string(o.label), o.p_value, o.required_count);
    text += line;
  }
  write_file_atomically(path, text);
}

void note_epsilon(double epsilon, Events& events) {
  events.on_note(
      "epsilon " + support_words(epsilon, true, 0.0) +
      " was found from the half of the bank that is not the reference: "
      "certified decisions hold for this epsilon, and the level of the "
      "threshold up to that choice");
}

// False when stopped.
template <typename T>
bool certify_with(const CertifyOptions& o, Events& events, const Context& outer,
                  CertifyResult& result) {
  Stage stage(events, outer, "certifying");
  const Context context = stage.context();
  const CertifyInputs<T> inputs = load_certify_inputs<T>(o, context);
  if (inputs.is_cancelled || events.is_stopped()) return false;
  if (inputs.options.is_epsilon_calibrated) {
    note_epsilon(inputs.options.energy.epsilon, events);
  }
  result.certificate =
      certify_outliers(inputs.problem(), inputs.options, context);
  if (result.certificate.status == SolveStatus::kCancelled) return false;
  result.calculators = certify_calculators(inputs, result.certificate, context);
  result.diagnostics = certify_diagnostics(inputs, o.replicates, context);
  return !events.is_stopped();
}

}  // namespace

bool CertifyOptions::is_run() const {
  std::error_code ignored;
  return std::filesystem::is_directory(target, ignored);
}

const OptionTable<CertifyOptions>& certify_option_table() {
  using O = CertifyOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.stage("Input");
    table
        .add("target", &O::target,
             "Run folder of sbog generate, or a bank with one point per row")
        .positional()
        .value("PATH");
    table
        .add("bank", &O::bank,
             "File that holds the bank of a run on points now, where it moved")
        .value("FILE");
    table
        .add("outliers", &O::outliers,
             "Points to judge, one per row, made without the bank")
        .basic()
        .value("FILE")
        .without("outliers are made from the bank");
    table
        .add("outlier_labels", &O::outlier_labels,
             "Class of each row of --outliers")
        .value("FILE");
    table.include(energy_option_table(), &O::energy,
                  {"labels", "weights", "cost", "metric", "epsilon", "trim",
                   "quantile", "margin", "precision"});
    const auto say = [&](const char* name, const char* help) {
      table.find(name)->info().help = help;
    };
    say("labels", "Class of each bank row; points are judged within theirs");
    say("quantile", "Level of the conformal threshold, in (0, 1)");
    say("margin", "Energy added to the conformal threshold");
    table.stage("Certificate");
    table
        .add("delta", &O::delta,
             "Allowed probability that any label is wrong, in (0, 1)")
        .basic();
    table.add("replicates", &O::replicates,
              "Number of replicates of the coupled bootstrap; 0: no bootstrap");
    table.stage("Sampling");
    table
        .add("count", &O::count,
             "Number of outliers to make from a bank, over all classes")
        .basic();
    table.add("sigma", &O::sigma,
              "Noise of the outliers to make, per coordinate");
    table.stage("Output");
    table.add("out", &O::out, "File for the certificate, .json")
        .basic()
        .writes()
        .value("FILE")
        .without("certificate.json of a run, else not written");
    table.add("table", &O::table, "File for a row about each outlier, .csv")
        .writes()
        .value("FILE")
        .without("not written");
    table.add("seed", &O::seed, "Seed of the split of a bank and of outliers")
        .also("random_state");
    return table;
  }();
  return kTable;
}

CertifyResult run(const CertifyOptions& options, Events& events,
                  const Context& context) {
  check(options);
  CertifyResult result;
  result.options = options;
  const bool is_done =
      certify_precision(options) == "double"
          ? certify_with<double>(options, events, context, result)
          : certify_with<float>(options, events, context, result);
  if (!is_done) return stopped_unwritten(std::move(result), events);
  result.out = options.out;
  if (result.out.empty() && options.is_run()) {
    result.out = options.target + "/certificate.json";
  }
  if (!result.out.empty()) {
    write_file_atomically(result.out, stored_json(to_json(result)) + "\n");
  }
  if (!options.table.empty()) {
    write_certificate_table(options.table, result.certificate);
  }
  return result;
}

nlohmann::ordered_json to_json(const CertifyResult& result) {
  using Json = nlohmann::ordered_json;
  const Certificate& certificate = result.certificate;
  Json json;
  json["certified"] = certificate.is_certified;
  json["caveat"] = certificate.caveat;
  json["epsilon"] = certificate.epsilon;
  json["epsilon_calibrated"] = certificate.is_epsilon_calibrated;
  json["delta"] = certificate.delta;
  json["level"] = certificate.level;
  json["pool"] = certificate.pool;
  json["sentences"] = plain_sentences(certificate);
  const CertificateTotals& totals = certificate.totals;
  json["totals"] = {
      {"outliers", certificate.outliers.size()},
      {"accepted", totals.accepted},
      {"certified_accept", totals.certified_accept},
      {"certified_reject", totals.certified_reject},
      {"undecided", totals.undecided},
      {"certified_share", totals.certified_share},
      {"factor_for_all", finite_or_null(totals.factor_for_all)},
      {"epsilon_for_all", finite_or_null(totals.epsilon_for_all)}};
  json["growth"] = Json::array();
  for (const double factor : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0}) {
    json["growth"].push_back(
        {{"factor", factor},
         {"certified_share", certified_share_at(certificate, factor)}});
  }
  json["classes"] = Json::array();
  for (const CertificateClass& c : certificate.classes) {
    json["classes"].push_back(
        {{"label", c.label},
         {"reference", c.reference_count},
         {"calibration", c.calibration_count},
         {"outliers", c.outlier_count},
         {"threshold", finite_or_null(c.threshold)},
         {"conformal", c.is_conformal},
         {"ceiling", finite_or_null(c.ceiling)},
         {"smallest_epsilon", finite_or_null(c.smallest_epsilon)},
         {"smallest_reference", finite_or_null(c.smallest_count)}});
  }
  json["calculators"] = to_json(result.calculators);
  json["diagnostics"] = to_json(result.diagnostics);
  return json;
}

}  // namespace sbog::job
