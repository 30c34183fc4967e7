// SPDX-License-Identifier: Apache-2.0
// TorchScript programs: what they give, and one sentence for each fault.
#include "sbog_torch/nn/script_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::nn {
namespace script_model_test {

using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string write_script(const TemporaryFolder& folder,
                         const std::string& body) {
  torch::jit::Module module("model");
  module.register_parameter("weight", torch::full({2}, 3.0F), false);
  module.register_attribute("training", c10::BoolType::get(), true);
  module.define("def forward(self, x):\n    return " + body + "\n");
  module.save(folder.file("m.pt"));
  return folder.file("m.pt");
}

TEST(ScriptModel, a_program_computes_without_gradients_of_its_parameters) {
  const TemporaryFolder folder;
  torch::jit::Module module =
      load_script(write_script(folder, "x * self.weight"));
  for (const torch::Tensor& parameter : module.parameters()) {
    EXPECT_FALSE(parameter.requires_grad());
  }
  EXPECT_FALSE(module.is_training());
  const torch::Tensor out =
      run_script(module, torch::full({4, 2}, 2.0F), "the model");
  EXPECT_TRUE(torch::equal(out, torch::full({4, 2}, 6.0F)));
}

TEST(ScriptModel, files_that_are_none_are_named) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("text.pt")) << "this is no program";
  const std::string cut = write_script(folder, "x");
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  for (const std::string& path :
       {folder.file("none.pt"), folder.file("text.pt"), cut,
        folder.path().string()}) {
    try {
      load_script(path);
      ADD_FAILURE() << path;
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
}

TEST(ScriptModel, a_program_that_fails_is_told_in_one_sentence) {
  const TemporaryFolder folder;
  for (const char* body : {"torch.matmul(x, torch.zeros([7, 7]))", "(x, x)"}) {
    torch::jit::Module module = load_script(write_script(folder, body));
    try {
      run_script(module, torch::zeros({4, 2}), "the model");
      ADD_FAILURE() << body;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("the model "));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
}

}  // namespace script_model_test
}  // namespace sbog::nn
