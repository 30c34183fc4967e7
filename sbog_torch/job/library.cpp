// SPDX-License-Identifier: Apache-2.0
// The entry of libsbog_torch.so; see sbog/job/torch_library.h.
#include <malloc.h>
#include <torch/version.h>

#include "sbog_torch/job/jobs.h"

namespace sbog::torch_jobs {
namespace {

// Tensors of a few megabytes come and go with each training step. What they
// leave is kept for the next step: given back to the system and fetched again,
// page by page, it costs an eighth of the time.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the highest that is allowed
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

class Library : public job::TorchLibrary {
 public:
  Library() { keep_freed_memory(); }

  std::string version() const override { return TORCH_VERSION; }
  job::GenerateResult generate_images(const job::GenerateOptions& options,
                                      job::Events& events,
                                      const Context& context) const override {
    return torch_jobs::generate_images(options, events, context);
  }
  job::TrainImageResult train_image(const job::TrainImageOptions& options,
                                    job::Events& events,
                                    const Context& context) const override {
    return torch_jobs::train_image(options, events, context);
  }
  job::ImageDetectorResult train_image_detector(
      const job::ImageDetectorOptions& options, job::Events& events,
      const Context& context) const override {
    return torch_jobs::train_image_detector(options, events, context);
  }
  job::ImageScoreResult score_images(const job::ImageScoreOptions& options,
                                     job::Events& events,
                                     const Context& context) const override {
    return torch_jobs::score_images(options, events, context);
  }
  job::StressSubject open_subject(const job::SubjectOptions& options,
                                  job::Events& events,
                                  const Context& context) const override {
    return torch_jobs::open_subject(options, events, context);
  }
  std::optional<series::WindowDecoder> make_window_decoder(
      const series::Encoder& encoder, const series::WindowSource& windows,
      const job::WindowVaeOptions& options, job::Events& events,
      const Context& context) const override {
    return torch_jobs::make_window_decoder(encoder, windows, options, events,
                                           context);
  }
};

}  // namespace
}  // namespace sbog::torch_jobs

extern "C" const sbog::job::TorchLibrary* sbog_torch_library(
    std::uint64_t interface) {
  static const sbog::torch_jobs::Library kLibrary;
  return interface == sbog::job::torch_interface() ? &kLibrary : nullptr;
}
