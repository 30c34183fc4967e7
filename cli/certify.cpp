// SPDX-License-Identifier: Apache-2.0
// sbog certify: what the sample size can promise about outliers.
#include <cmath>
#include <cstdio>
#include <memory>

#include "certify_extras.h"
#include "certify_inputs.h"
#include "certify_run.h"
#include "commands.h"
#include "energy_arguments.h"
#include "exit_code.h"
#include "run_reader.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/certify/plain_sentences.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFooter =
    "TARGET is a run folder (made by sbog generate --certify true, else the\n"
    "numbers are a heuristic), or a bank: it is cut in two by the seed, one\n"
    "half proposes outliers (or --outliers are judged), the other supports\n"
    "them. certificate.json goes to --out, or into the run folder.\n"
    "\n"
    "Examples:\n"
    "  sbog certify demo:bank --epsilon 0.05 --quantile 0.9\n"
    "  sbog certify demo:bank --labels demo:labels --quantile 0.9 --out c.json";

void declare_options(CLI::App& command, CertifyArguments& a) {
  command.footer(kFooter);
  command.add_option("TARGET", a.target, "Run folder or bank")->required();
  command.add_option("--bank", a.bank, "Where the bank of a run is now");
  command.add_option("--outliers", a.outliers,
                     "Points to judge, made without the bank");
  command.add_option("--labels", a.labels,
                     "Class of each bank row: points are judged within theirs");
  command.add_option("--outlier-labels", a.outlier_labels,
                     "Class of each of --outliers");
  command.add_option("--weights", a.weights, "Weight of each bank row");
  command.add_option("--delta", a.delta,
                     "Allowed probability that any label is wrong");
  command.add_option("--cost", a.cost, "Ground cost, as in sbog score")
      ->check(CLI::IsMember(cost_names()));
  command.add_option("--metric", a.metric, "Matrix of the Mahalanobis costs");
  command.add_option("--epsilon", a.epsilon, "Sinkhorn temperature, > 0");
  command.add_option("--quantile", a.quantile,
                     "Level of the conformal threshold");
  command.add_option("--margin", a.margin, "Added to the threshold");
  command.add_option("--trim", a.trim, "Share left out of the reference");
  command.add_option("--count", a.count, "Outliers to make from a bank");
  command.add_option("--sigma", a.sigma, "Their noise per coordinate");
  command.add_option("--replicates", a.replicates,
                     "Of the coupled bootstrap, 0 = none");
  command
      .add_option("--precision", a.precision,
                  "Storage of points: float (fast) or double")
      ->check(CLI::IsMember({"float", "double"}));
  command.add_option("--out", a.out, "Write the certificate to this JSON file");
  command.add_option("--table", a.table,
                     "Write one line per outlier to this CSV file");
}

// A run has its own settings.
void check_arguments(const CLI::App& command, const CertifyArguments& a) {
  const auto need = [](bool ok, const std::string& sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(a.delta > 0.0 && a.delta < 1.0,
       "--delta: a number in (0, 1) is expected");
  need(a.count > 0, "--count: at least 1 is expected");
  need(a.outlier_labels.empty() || !a.labels.empty(),
       "--outlier-labels needs --labels");
  need(a.outlier_labels.empty() || !a.outliers.empty(),
       "--outlier-labels needs --outliers");
  need(a.weights.empty() || !a.outliers.empty(), "--weights needs --outliers");
  need(is_run(a) || a.bank.empty(), "--bank goes with a run folder only");
  check_epsilon(a.epsilon);
  check_writable(a.out);
  check_writable(a.table);
  if (!is_run(a)) return;
  for (const char* name : {"--outliers", "--labels", "--cost", "--metric",
                           "--epsilon", "--quantile", "--margin", "--trim",
                           "--count", "--sigma", "--precision"}) {
    need(command.count(name) == 0,
         std::string(name) + ": a run has its own settings");
  }
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json classes_json(const Certificate& certificate) {
  Json json = Json::array();
  for (const CertificateClass& c : certificate.classes) {
    json.push_back({{"label", c.label},
                    {"reference", c.reference_count},
                    {"calibration", c.calibration_count},
                    {"outliers", c.outlier_count},
                    {"threshold", number(c.threshold)},
                    {"conformal", c.is_conformal},
                    {"ceiling", number(c.ceiling)},
                    {"smallest_epsilon", number(c.smallest_epsilon)},
                    {"smallest_reference", number(c.smallest_count)}});
  }
  return json;
}

Json certificate_json(const Certificate& certificate) {
  Json json;
  json["certified"] = certificate.is_certified;
  json["caveat"] = certificate.caveat;
  json["epsilon"] = certificate.epsilon;
  json["delta"] = certificate.delta;
  json["level"] = certificate.level;
  json["pool"] = certificate.pool;
  json["sentences"] = plain_sentences(certificate);
  const CertificateTotals& totals = certificate.totals;
  json["totals"] = {{"outliers", certificate.outliers.size()},
                    {"accepted", totals.accepted},
                    {"certified_accept", totals.certified_accept},
                    {"certified_reject", totals.certified_reject},
                    {"undecided", totals.undecided},
                    {"certified_share", totals.certified_share},
                    {"factor_for_all", number(totals.factor_for_all)},
                    {"epsilon_for_all", number(totals.epsilon_for_all)}};
  json["growth"] = Json::array();
  for (const double factor : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0}) {
    json["growth"].push_back(
        {{"factor", factor},
         {"certified_share", certified_share_at(certificate, factor)}});
  }
  json["classes"] = classes_json(certificate);
  return json;
}

void write_table(const std::string& path, const Certificate& certificate) {
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

void print_page(const Json& json) {
  for (const auto& sentence : json["sentences"]) {
    std::printf("%s\n", sentence.get<std::string>().c_str());
  }
  const Json& calculators = json["calculators"];
  if (calculators.contains("required_n")) {
    const Json& n = calculators["required_n"];
    const auto text = [&](const char* key) {
      return n[key].is_null() ? std::string("no number")
                              : with_commas(static_cast<std::size_t>(
                                    std::ceil(n[key].get<double>())));
    };
    std::printf(
        "\nReference points after which every decision as far from the "
        "threshold\nas the median outlier agrees with the population's:\n"
        "  this certificate (one-sided KL)  %s\n"
        "  the paper's theorem (Hoeffding)  %s\n",
        text("one_sided_kl").c_str(), text("hoeffding_paper").c_str());
  }
  for (const char* key : {"knn_theorem", "uniform_bound"}) {
    const Json& bound = calculators[key];
    if (bound.is_null() || !bound["vacuous"].get<bool>()) continue;
    std::printf("  %s: %s\n",
                key == std::string("knn_theorem") ? "the k-NN theorem"
                                                  : "the uniform bound",
                bound["reason"].get<std::string>().c_str());
  }
  const Json& diagnostics = json["diagnostics"];
  if (!diagnostics["flip_rate_256"].is_null()) {
    std::printf(
        "\nDecisions that change with only 256 reference points: %.1f %%\n",
        100.0 * diagnostics["flip_rate_256"].get<double>());
  }
  if (!diagnostics["bootstrap"].is_null()) {
    const Json& bootstrap = diagnostics["bootstrap"];
    std::printf(
        "Bootstrap diagnostic: %.1f %% of the outputs change with the sample "
        "(95 %%: %.1f %%), %.1f %% of the anchors stay\n",
        100.0 * bootstrap["mean_change"].get<double>(),
        100.0 * bootstrap["high_change"].get<double>(),
        100.0 * bootstrap["anchor_overlap"].get<double>());
  }
}

template <typename T>
int run(const CertifyArguments& arguments, const CommonOptions& common) {
  ThreadPool pool(common.threads);
  ProgressLine progress("certifying", common.is_quiet);
  const Context context{&pool, &progress};
  const CertifyInputs<T> inputs =
      load_certify_inputs<T>(arguments, common, context);
  const Certificate certificate =
      certify_outliers(inputs.problem(), inputs.options, context);
  if (certificate.status == SolveStatus::kCancelled) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  Json json = certificate_json(certificate);
  json["calculators"] = calculators_json(inputs, certificate, context);
  json["diagnostics"] = diagnostics_json(inputs, arguments.replicates, context);
  if (is_interrupted()) {
    Console(common.is_quiet).note("interrupted; nothing was written");
    return kNotReached;
  }
  std::string out = arguments.out;
  if (out.empty() && is_run(arguments)) {
    out = arguments.target + "/certificate.json";
  }
  if (!out.empty()) write_file_atomically(out, json.dump(2) + "\n");
  if (!arguments.table.empty()) write_table(arguments.table, certificate);
  if (!common.prints_result) return kDone;
  if (common.is_json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print_page(json);
  }
  return kDone;
}

}  // namespace

int certify_run(const std::string& folder, const std::string& bank,
                const CommonOptions& common) {
  CertifyArguments arguments;
  arguments.target = folder;
  arguments.bank = bank;
  arguments.replicates = 0;
  return open_run(folder, bank).arguments.precision == "double"
             ? run<double>(arguments, common)
             : run<float>(arguments, common);
}

void add_certify(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "certify", "What the sample size can promise about outliers");
  const auto arguments = std::make_shared<CertifyArguments>();
  declare_options(*command, *arguments);
  command->callback([command, arguments, &common, &exit_code] {
    check_arguments(*command, *arguments);
    if (is_run(*arguments)) {
      arguments->precision =
          open_run(arguments->target, arguments->bank).arguments.precision;
    }
    exit_code = arguments->precision == "double"
                    ? run<double>(*arguments, common)
                    : run<float>(*arguments, common);
  });
}

}  // namespace sbog::cli
