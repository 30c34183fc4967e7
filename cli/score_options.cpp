// SPDX-License-Identifier: Apache-2.0
// Options of `sbog score`; see score_options.h.
#include "score_options.h"

#include <charconv>
#include <string_view>

#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "Files: .npy, .npz:name, .csv, .safetensors:name, .idx (also .gz);\n"
    "demo:bank, demo:labels and demo:queries are built in.\n"
    "\n"
    "Examples:\n"
    "  sbog score demo:bank --epsilon 0.05\n"
    "  sbog score demo:bank --queries demo:queries --threshold conformal";

std::size_t parse_count(std::string_view text, const std::string& whole) {
  std::size_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidArgument("--shard: I/N such as 2/10 is expected, got '" +
                          whole + "'");
  }
  return value;
}

}  // namespace

void declare_score_options(CLI::App& command, ScoreArguments& a) {
  command.footer(kFooter);
  command.add_option("BANK", a.bank, "In-distribution points, one per row")
      ->required();
  command.add_option("--queries", a.queries,
                     "Points to score; without it the bank scores itself");
  command.add_option("--query-labels", a.query_labels,
                     "Class of each query (with --per-class)");
  command.add_option("--columns", a.columns, "Columns of a CSV bank to use")
      ->delimiter(',');
  declare_energy_options(command, a, "precomputed",
                         "BANK is the matrix of costs, query by atom");
  command.add_option("--local", a.local,
                     "Use only the K nearest atoms of a point, 0 = all");
  command
      .add_option("--local-convention", a.local_convention,
                  "Weights of the K: kept, or normalised among them")
      ->check(CLI::IsMember({"submeasure", "normalised"}));
  command
      .add_option("--threshold", a.threshold,
                  "quantile of the bank, or conformal on a held-out half")
      ->check(CLI::IsMember({"quantile", "conformal"}));
  command.add_option("--tolerance", a.tolerance,
                     "Allowed error on E, such as 1e-6, to skip far parts of "
                     "the bank; 0 = exact");
  command.add_option("--out", a.out, "Write the energies to this .npy file");
  command.add_option("--shard", a.shard,
                     "Use only shard I of N of the bank, I from 0 (with "
                     "--state; merge with sbog merge)");
  command.add_option("--state", a.state,
                     "Write the mergeable state of the shard to this file");
}

void check_score_arguments(const ScoreArguments& a) {
  const auto need = [](bool ok, const char* sentence) {
    if (!ok) throw InvalidArgument(sentence);
  };
  need(a.state.empty() == a.shard.empty(),
       "--shard and --state go together: one names the shard, the other the "
       "file for its state");
  if (!a.shard.empty()) {
    need(a.trim == 0.0 && a.local == 0 && !a.is_per_class &&
             a.tolerance == 0.0 && a.threshold == "quantile" &&
             !a.is_precomputed() && a.out.empty(),
         "--shard goes with BANK, --queries, --weights, --cost, --epsilon, "
         "--self and --precision only");
  }
  if (a.is_precomputed()) {
    need(a.trim == 0.0 && a.local == 0 && !a.is_per_class &&
             a.tolerance == 0.0 && a.threshold == "quantile" &&
             a.queries.empty() && a.labels.empty(),
         "--cost precomputed goes with --weights, --epsilon, --self, "
         "--quantile, --margin and --out only");
  }
  need(!a.is_per_class || !a.labels.empty(), "--per-class needs --labels");
  need(!a.is_per_class || a.queries.empty() || !a.query_labels.empty(),
       "--per-class with --queries needs --query-labels");
  need(a.local == 0 || a.tolerance == 0.0,
       "--local and --tolerance exclude each other");
  need(a.calibration > 0, "--calibration: at least 1 row is expected");
  need(a.tolerance >= 0.0, "--tolerance: a number of at least 0 is expected");
}

ScoreOptions to_score_options(const ScoreArguments& a,
                              MatrixView<const double> metric,
                              std::uint64_t seed) {
  ScoreOptions options = energy_options(a, metric, seed);
  options.local = a.local;
  options.local_convention = a.local_convention == "normalised"
                                 ? LocalConvention::kNormalised
                                 : LocalConvention::kSubmeasure;
  options.threshold.rule = a.threshold == "conformal"
                               ? ThresholdRule::kConformal
                               : ThresholdRule::kQuantile;
  options.tolerance = a.tolerance;
  return options;
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view view(text);
  Shard shard;
  shard.index = parse_count(view.substr(0, slash), text);
  shard.count = parse_count(
      slash == std::string::npos ? "" : view.substr(slash + 1), text);
  if (shard.count == 0 || shard.index >= shard.count) {
    throw InvalidArgument("--shard: I below N is expected, got '" + text + "'");
  }
  return shard;
}

}  // namespace sbog::cli
