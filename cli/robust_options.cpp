// SPDX-License-Identifier: Apache-2.0
// Options of robust alignment; see robust_options.h.
#include "robust_options.h"

namespace sbog::cli {

void declare_robust_options(CLI::App& command, RobustArguments& a,
                            const std::string& group) {
  CLI::Option* robust = command.add_flag(
      "--robust", a.is_asked,
      "Align with logits that are robust within a Sinkhorn ball");
  if (!group.empty()) robust->group(group);
  const auto with_robust = [&](CLI::Option* option) {
    if (!group.empty()) option->group(group);
    return option->needs(robust);
  };
  with_robust(command.add_option(
                  "--robust-atoms", a.atoms,
                  "What mass may move to: points around the latent, changed "
                  "copies of the image (a pass of the encoder each), or the "
                  "nearest latents of its class in the batch"))
      ->check(CLI::IsMember({"latent", "input", "neighbour"}));
  with_robust(command.add_option("--robust-atom-count", a.atom_count,
                                 "How many, the image itself among them"));
  with_robust(command.add_option("--robust-epsilon", a.epsilon,
                                 "Sharpness of the law that is moved"));
  with_robust(command.add_option("--robust-kappa", a.kappa,
                                 "Size of the ball: its radius / epsilon"));
  with_robust(command.add_option("--robust-warm-up", a.warm_up,
                                 "Share of the steps in which the ball grows"));
  with_robust(command.add_option("--robust-sign", a.sign,
                                 "Logits of other classes: lowered as in the "
                                 "paper, or raised"))
      ->check(CLI::IsMember({"paper", "adversarial"}));
}

void add_robust(Toml& toml, const RobustArguments& a) {
  toml.add("robust", a.is_asked);
  if (!a.is_asked) return;
  toml.add("robust-atoms", a.atoms);
  toml.add("robust-atom-count", a.atom_count);
  toml.add("robust-epsilon", a.epsilon);
  toml.add("robust-kappa", a.kappa);
  toml.add("robust-warm-up", a.warm_up);
  toml.add("robust-sign", a.sign);
}

}  // namespace sbog::cli
