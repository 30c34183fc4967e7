// SPDX-License-Identifier: Apache-2.0
// Writing and checked reading of detectors; see detector_file.h.
#include "sbog/series/detector_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/model_reader.h"
#include "sbog/data/safetensors.h"

namespace sbog {
namespace {

constexpr const char* kDetectorFormat = "sbog-detector-1";

template <typename T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kFloat64;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::kInt64;
  return ElementType::kUInt8;
}

template <typename T>
NamedArray tensor(const char* name, std::span<const T> values,
                  std::vector<std::size_t> shape) {
  const std::size_t bytes = values.size_bytes();
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
  if (bytes > 0) std::memcpy(copy.get(), values.data(), bytes);
  return {name, Array(name, element_type<T>(), std::move(shape),
                      std::shared_ptr<const std::byte>(copy, copy.get()))};
}

template <typename T>
NamedArray tensor(const char* name, const Matrix<T>& matrix) {
  return tensor(name, matrix.elements(), {matrix.rows(), matrix.cols()});
}

NamedArray tensor(const char* name, const std::vector<double>& values) {
  return tensor(name, std::span<const double>(values), {values.size()});
}

std::vector<std::uint8_t> joined(const std::vector<std::string>& names) {
  std::vector<std::uint8_t> bytes;
  for (const std::string& name : names) {
    // A zero byte would end the name early.
    for (const char c : name) {
      if (c != '\0') bytes.push_back(static_cast<std::uint8_t>(c));
    }
    bytes.push_back(0);
  }
  return bytes;
}

// The tensors and options of a file, with checks that name the file.
class DetectorReader : private ModelReader {
 public:
  explicit DetectorReader(const std::string& path)
      : ModelReader(path, "a detector") {}
  using ModelReader::fail;

  DetectorState read() {
    if (text("format") != kDetectorFormat)
      fail("is not a detector of this program");
    DetectorState state;
    state.options = read_options();
    state.channels = read_names();
    const std::size_t channels = state.channels.size();
    const std::size_t views = view_count(state.options.kind);
    const std::size_t rows = find("rows").rows();
    const std::size_t active = find("regression.active").rows();
    if (channels == 0 || rows < kFewestTrainingRows || active > channels) {
      fail("holds fewer training rows or channels than a detector needs");
    }
    const std::size_t predictors = active <= Autoregression::kMaxJointChannels
                                       ? Autoregression::kLags * active + 1
                                       : Autoregression::kLags + 1;
    check_tensors(
        file(),
        std::vector<ExpectedTensor>{
            {"rows", ElementType::kFloat32, {rows, channels}},
            {"scaling.medians", ElementType::kFloat64, {channels}},
            {"scaling.units", ElementType::kFloat64, {channels}},
            {"regression.active", ElementType::kInt64, {active}},
            {"regression.coefficients",
             ElementType::kFloat64,
             {predictors, active}},
            {"channels.medians",
             ElementType::kFloat64,
             {kSignalCount, channels}},
            {"channels.units", ElementType::kFloat64, {kSignalCount, channels}},
            {"held_out", ElementType::kFloat64, {rows, views}},
            {"names", ElementType::kUInt8, {find("names").rows()}}});
    state.rows = matrix<float>("rows");
    state.scaling.medians = to_vector(find("scaling.medians"));
    state.scaling.units = to_vector(find("scaling.units"));
    state.channel_units = {matrix<double>("channels.medians"),
                           matrix<double>("channels.units")};
    state.held_out = matrix<double>("held_out");
    state.autoregression =
        Autoregression(read_active(channels),
                       matrix<double>("regression.coefficients"), channels);
    check_values(state);
    return state;
  }

 private:
  DetectorOptions read_options() const {
    DetectorOptions options;
    try {
      options.kind = parse_detector_kind(text("detector"));
      options.is_causal = number<int>("causal") != 0;
      options.joint_rows = number<std::size_t>("joint_rows");
      options.line_rows = number<std::size_t>("line_rows");
      options.level = number<double>("level");
      check_detector_options(options);
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
    return options;
  }

  std::vector<std::string> read_names() const {
    const Array& array = find("names");
    if (array.type() != ElementType::kUInt8) {
      fail("the tensor 'names' is not of type uint8");
    }
    std::vector<std::string> names;
    std::string name;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const char c = static_cast<char>(array.bytes()[i]);
      if (c != '\0') {
        name += c;
        continue;
      }
      names.push_back(std::exchange(name, {}));
    }
    if (!name.empty()) fail("the last channel name is cut off");
    return names;
  }

  std::vector<std::size_t> read_active(std::size_t channels) const {
    std::vector<std::size_t> active;
    for (const std::int64_t c : to_labels(find("regression.active"))) {
      const bool is_next =
          c >= 0 && static_cast<std::size_t>(c) < channels &&
          (active.empty() || static_cast<std::size_t>(c) > active.back());
      if (!is_next) fail("'regression.active' does not list channels in order");
      active.push_back(static_cast<std::size_t>(c));
    }
    return active;
  }

  void check_values(const DetectorState& state) const {
    const auto are_positive = [](std::span<const double> values) {
      return std::all_of(values.begin(), values.end(),
                         [](double x) { return x > 0.0; });
    };
    if (!are_positive(state.scaling.units) ||
        !are_positive(state.channel_units.units.elements())) {
      fail("a unit is not above 0");
    }
    const auto limit = static_cast<float>(ChannelScaling::kClip);
    for (const float x : state.rows.elements()) {
      if (std::abs(x) > limit) fail("a scaled training value is beyond 3");
    }
    for (const double energy : state.held_out.elements()) {
      if (energy < 0.0) fail("a held-out energy is negative");
    }
  }
};

}  // namespace

void write_detector(const std::string& path, const Detector& detector) {
  const DetectorState& state = detector.state();
  const auto& columns = state.autoregression.active();
  const std::vector<std::int64_t> active(columns.begin(), columns.end());
  const std::vector<std::uint8_t> names = joined(state.channels);
  const std::vector<NamedArray> tensors = {
      tensor("rows", state.rows),
      tensor("scaling.medians", state.scaling.medians),
      tensor("scaling.units", state.scaling.units),
      tensor("regression.active", std::span<const std::int64_t>(active),
             {active.size()}),
      tensor("regression.coefficients", state.autoregression.coefficients()),
      tensor("channels.medians", state.channel_units.medians),
      tensor("channels.units", state.channel_units.units),
      tensor("held_out", state.held_out),
      tensor("names", std::span<const std::uint8_t>(names), {names.size()})};
  const DetectorOptions& options = state.options;
  write_safetensors(path, tensors,
                    {{"format", kDetectorFormat},
                     {"detector", std::string(to_string(options.kind))},
                     {"causal", options.is_causal ? "1" : "0"},
                     {"joint_rows", std::to_string(options.joint_rows)},
                     {"line_rows", std::to_string(options.line_rows)},
                     {"level", shortest(options.level)}});
}

Detector read_detector(const std::string& path, const Context& context) {
  DetectorReader reader(path);
  DetectorState state = reader.read();
  try {
    return Detector(std::move(state), context);
  } catch (const InvalidArgument& error) {
    reader.fail(error.what());
  }
}

}  // namespace sbog
