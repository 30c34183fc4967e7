// SPDX-License-Identifier: Apache-2.0
// sbog train image: its words, and the result as text.
#include "sbog/job/train_image.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "image_results.h"
#include "json_output.h"

namespace sbog::cli {

Command train_image_command() {
  return job_command(
      {"train image",
       "Learn encoder, bank and decoder of labelled images",
       "  sbog train image demo:shapes --out m --limit 24 --epochs 1 --decoder "
       "mix\n"
       "  sbog train image demo:shapes --out r --limit 24 --epochs 1 --decoder "
       "none --robust --anchors simplex --json",
       "The encoder turns images into points of a sphere, so that those of a\n"
       "class point to its anchor. DATA is an idx file (also .gz), npy, npz, "
       "CIFAR\n"
       "records, or a folder of PNG and JPEG files with a folder per class. "
       "The\n"
       "model is a folder with encoder, bank and decoder, for sbog generate\n"
       "--model. After Ctrl-C the same command with --resume goes on to the "
       "same\n"
       "encoder, bit for bit; the decoder begins again.\n"
       "\n"
       "With --encoder nothing is learned but the decoder. A TorchScript file "
       "is\n"
       "a program: use only those you trust. It gets images as float N x C x H "
       "x\n"
       "W in [0, 1] and gives a row each; rows are divided by their length.",
       {},
       {}},
      job::train_image_option_table(),
      [](const job::TrainImageResult& result, Session& session) {
        if (result.classes > 0 && session.is_json()) {
          print_json(to_json(result));
        } else {
          print_image_model(result);
        }
      });
}

}  // namespace sbog::cli
