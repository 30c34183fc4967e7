// SPDX-License-Identifier: Apache-2.0
// A library in the place of libsbog_torch.so that answers without LibTorch.
#include "sbog/base/errors.h"
#include "sbog/job/torch_library.h"

namespace sbog::job {
namespace {

class AnsweringLibrary : public TorchLibrary {
 public:
  std::string version() const override { return "0.0.0"; }
  GenerateResult generate_images(const GenerateOptions& /*options*/,
                                 Events& events,
                                 const Context& context) const override {
    Stage stage(events, context, "answering");
    GenerateResult result;
    result.status = stage.context().observer->on_progress(3, 4)
                        ? Status::kDone
                        : Status::kStopped;
    return result;
  }
  TrainImageResult train_image(const TrainImageOptions& options,
                               Events& /*events*/,
                               const Context& /*context*/) const override {
    throw InvalidArgument("of the options: " + options.data);
  }
  ImageDetectorResult train_image_detector(
      const ImageDetectorOptions& options, Events& /*events*/,
      const Context& /*context*/) const override {
    throw IoError(options.data, "of a file");
  }
  ImageScoreResult score_images(const ImageScoreOptions& options,
                                Events& events,
                                const Context& /*context*/) const override {
    events.on_note("scoring " + options.data);
    ImageScoreResult result;
    result.options = options;
    return result;
  }
  StressSubject open_subject(const SubjectOptions& options, Events& /*events*/,
                             const Context& /*context*/) const override {
    StressSubject subject;
    subject.words = "answering for " + options.model;
    return subject;
  }
  std::optional<series::WindowDecoder> make_window_decoder(
      const series::Encoder& /*encoder*/,
      const series::WindowSource& /*windows*/,
      const WindowVaeOptions& /*options*/, Events& /*events*/,
      const Context& /*context*/) const override {
    return std::nullopt;
  }
};

}  // namespace
}  // namespace sbog::job

extern "C" const sbog::job::TorchLibrary* sbog_torch_library(
    std::uint64_t interface) {
#ifdef SBOG_OTHER_RELEASE
  ++interface;
#endif
  static const sbog::job::AnsweringLibrary kLibrary;
  return interface == sbog::job::torch_interface() ? &kLibrary : nullptr;
}
