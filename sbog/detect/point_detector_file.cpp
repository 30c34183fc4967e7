// SPDX-License-Identifier: Apache-2.0
// See point_detector_file.h.
#include "sbog/detect/point_detector_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/number_text.h"
#include "sbog/data/model_reader.h"
#include "sbog/data/safetensors.h"

namespace sbog::detect {
namespace {

constexpr const char* kPointFormat = "sbog-point-detector-2";
constexpr double kUnitTolerance = 1e-3;

using Shape = std::vector<std::size_t>;

template <typename T>
constexpr ElementType stored_type() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kFloat64;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::kInt64;
  return ElementType::kUInt8;
}

// Tensors that are to be written.
class TensorList {
 public:
  template <typename T>
  void add(const std::string& name, std::span<const T> values, Shape shape) {
    const std::size_t bytes = values.size_bytes();
    const std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
    if (bytes > 0) std::memcpy(copy.get(), values.data(), bytes);
    tensors_.push_back(
        {name, Array(name, stored_type<T>(), std::move(shape),
                     std::shared_ptr<const std::byte>(copy, copy.get()))});
  }
  template <typename T>
  void add(const std::string& name, const Matrix<T>& matrix) {
    add(name, matrix.elements(), {matrix.rows(), matrix.cols()});
  }
  template <typename T>
  void add(const std::string& name, const std::vector<T>& values) {
    add(name, std::span<const T>(values), {values.size()});
  }
  void add_numbers(const std::string& name,
                   const std::vector<std::size_t>& numbers) {
    add(name, std::vector<std::int64_t>(numbers.begin(), numbers.end()));
  }
  void add_texts(const std::string& name,
                 const std::vector<std::string>& texts) {
    std::vector<std::uint8_t> bytes;
    for (const std::string& text : texts) {
      // A zero byte would end the text early.
      for (const char c : text) {
        if (c != '\0') bytes.push_back(static_cast<std::uint8_t>(c));
      }
      bytes.push_back(0);
    }
    add(name, bytes);
  }
  void add_head(const std::string& name, const LinearHead& head) {
    add(name + ".weights", head.weights);
    add(name + ".bias", head.bias);
    add(name + ".line", std::vector<float>{head.slope, head.offset});
  }

  const std::vector<NamedArray>& tensors() const { return tensors_; }

 private:
  std::vector<NamedArray> tensors_;
};

// The tensors and options of a file, with checks that name the file.
class PointDetectorReader : private ModelReader {
 public:
  explicit PointDetectorReader(const std::string& path)
      : ModelReader(path, "a detector of points") {}
  using ModelReader::fail;

  PointDetectorState read() {
    if (text("format") != kPointFormat) {
      fail("is not a detector of points of this program");
    }
    PointDetectorState state;
    read_options(state);
    check_shapes(state.options);
    read_bank(state);
    state.gaussians.emplace(
        Whitener{matrix<double>("tied.means"), matrix<double>("tied.map")},
        Whitener{matrix<double>("global.means"), matrix<double>("global.map")});
    if (has("head.weights")) state.exposed_head = read_head("head");
    if (has("plain.weights")) state.plain_head = read_head("plain");
    if (has("epsilons")) state.epsilons = to_vector(find("epsilons"));
    read_calibration(state);
    state.class_names = texts("class_names");
    state.items = texts("items");
    return state;
  }

 private:
  void read_options(PointDetectorState& state) const {
    PointDetectorOptions& o = state.options;
    o.scores.clear();
    const std::string& names = text("scores");
    for (std::size_t from = 0; from <= names.size();) {
      const std::size_t to = std::min(names.find(',', from), names.size());
      o.scores.push_back(parse_point_score(names.substr(from, to - from)));
      from = to + 1;
    }
    o.score.neighbours = number<std::size_t>("neighbours");
    const auto epsilon = number<double>("epsilon");
    if (epsilon != 0.0) o.score.epsilon = epsilon;
    o.score.is_soe_per_class = number<int>("soe_per_class") != 0;
    o.shrinkage = number<double>("shrinkage");
    o.level = number<double>("level");
    o.held_out = number<double>("held_out");
    o.seed = number<std::uint64_t>("seed");
    state.trained_rows = number<std::size_t>("trained_rows");
    check_point_detector(o);
  }

  void check_shapes(const PointDetectorOptions& o) const {
    const std::size_t rows = find("bank").rows();
    const std::size_t dim = find("bank").cols();
    const std::size_t classes = find("class_labels").rows();
    const std::size_t held_out = find("held_out").rows();
    if (rows == 0 || dim == 0 || classes == 0 || held_out == 0) {
      fail("holds no bank, classes or scores of held-out rows");
    }
    using enum ElementType;
    std::vector<ExpectedTensor> expected = {
        {"bank", kFloat32, {rows, dim}},
        {"bank_rows", kInt64, {rows}},
        {"classes", kInt64, {rows}},
        {"class_labels", kInt64, {classes}},
        {"tied.means", kFloat64, {classes, dim}},
        {"tied.map", kFloat64, {dim, dim}},
        {"global.means", kFloat64, {1, dim}},
        {"global.map", kFloat64, {dim, dim}},
        {"units", kFloat64, {o.scores.size(), 2}},
        {"held_out", kFloat64, {held_out}},
        {"class_names", kUInt8, {find("class_names").rows()}},
        {"items", kUInt8, {find("items").rows()}}};
    for (const std::string head : {"head", "plain"}) {
      if (!has(head + ".weights")) continue;
      expected.push_back({head + ".weights", kFloat32, {dim, classes}});
      expected.push_back({head + ".bias", kFloat32, {classes}});
      expected.push_back({head + ".line", kFloat32, {2}});
    }
    if (has("epsilons")) {
      expected.push_back({"epsilons", kFloat64, {find("epsilons").rows()}});
    }
    check_tensors(file(), expected);
  }

  // Numbers of [0, end).
  std::vector<std::size_t> numbers(const std::string& name,
                                   std::size_t end) const {
    std::vector<std::size_t> list;
    for (const std::int64_t x : to_labels(find(name))) {
      if (x < 0 || static_cast<std::uint64_t>(x) >= end) {
        fail("'" + name + "' holds " + std::to_string(x) + "; a number below " +
             std::to_string(end) + " is expected");
      }
      list.push_back(static_cast<std::size_t>(x));
    }
    return list;
  }

  template <typename T>
  void need_increasing(const std::string& name,
                       const std::vector<T>& values) const {
    if (std::ranges::adjacent_find(values, std::greater_equal<>()) !=
        values.end()) {
      fail("'" + name + "' is not increasing");
    }
  }

  void read_bank(PointDetectorState& state) const {
    LabelledBank& bank = state.bank;
    bank.points = matrix<float>("bank");
    bank.class_labels = to_labels(find("class_labels"));
    need_increasing("class_labels", bank.class_labels);
    bank.classes = numbers("classes", bank.class_count());
    state.bank_rows = numbers("bank_rows", state.trained_rows);
    need_increasing("bank_rows", state.bank_rows);
    if (std::ranges::count(class_sizes(bank), std::size_t{0}) > 0) {
      fail("holds a class without rows");
    }
    for (std::size_t i = 0; i < bank.rows(); ++i) {
      const double length = norm_of<float>(bank.points.row(i));
      if (std::abs(length - 1.0) > kUnitTolerance) {
        fail("row " + std::to_string(i) + " of 'bank' is not of length 1");
      }
    }
  }

  LinearHead read_head(const std::string& name) const {
    LinearHead head;
    head.weights = matrix<float>(name + ".weights");
    const Matrix<float> bias = matrix<float>(name + ".bias");
    const Matrix<float> line = matrix<float>(name + ".line");
    head.bias.assign(bias.elements().begin(), bias.elements().end());
    head.slope = line.elements()[0];
    head.offset = line.elements()[1];
    return head;
  }

  void read_calibration(PointDetectorState& state) const {
    const Matrix<double> units = matrix<double>("units");
    for (std::size_t k = 0; k < units.rows(); ++k) {
      if (!(units(k, 1) > 0.0)) fail("a unit of a score is not above 0");
      state.units.push_back({units(k, 0), units(k, 1)});
    }
    state.held_out_scores = to_vector(find("held_out"));
    if (!std::ranges::is_sorted(state.held_out_scores)) {
      fail("'held_out' is not increasing");
    }
  }

  std::vector<std::string> texts(const std::string& name) const {
    const Array& array = find(name);
    std::vector<std::string> list;
    std::string item;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const char c = static_cast<char>(array.bytes()[i]);
      if (c != '\0') {
        item += c;
      } else {
        list.push_back(std::exchange(item, {}));
      }
    }
    if (!item.empty()) fail("the last text of '" + name + "' is cut off");
    return list;
  }
};

std::string score_list(const std::vector<PointScore>& scores) {
  std::string text;
  for (const PointScore score : scores) {
    text += (text.empty() ? "" : ",") + std::string(to_string(score));
  }
  return text;
}

}  // namespace

void write_point_detector(const std::string& path,
                          const PointDetector& detector) {
  const PointDetectorState& state = detector.state();
  TensorList list;
  list.add("bank", state.bank.points);
  list.add_numbers("bank_rows", state.bank_rows);
  list.add_numbers("classes", state.bank.classes);
  list.add("class_labels", state.bank.class_labels);
  list.add("tied.means", state.gaussians->tied().means);
  list.add("tied.map", state.gaussians->tied().map);
  list.add("global.means", state.gaussians->global().means);
  list.add("global.map", state.gaussians->global().map);
  if (state.exposed_head) list.add_head("head", *state.exposed_head);
  if (state.plain_head) list.add_head("plain", *state.plain_head);
  if (!state.epsilons.empty()) list.add("epsilons", state.epsilons);
  Matrix<double> units(state.units.size(), 2);
  for (std::size_t k = 0; k < state.units.size(); ++k) {
    units(k, 0) = state.units[k].centre;
    units(k, 1) = state.units[k].unit;
  }
  list.add("units", units);
  list.add("held_out", state.held_out_scores);
  list.add_texts("class_names", state.class_names);
  list.add_texts("items", state.items);
  const PointDetectorOptions& o = state.options;
  write_safetensors(path, list.tensors(),
                    {{"format", kPointFormat},
                     {"scores", score_list(o.scores)},
                     {"neighbours", std::to_string(o.score.neighbours)},
                     {"epsilon", shortest(o.score.epsilon.value_or(0.0))},
                     {"soe_per_class", o.score.is_soe_per_class ? "1" : "0"},
                     {"shrinkage", shortest(o.shrinkage)},
                     {"level", shortest(o.level)},
                     {"held_out", shortest(o.held_out)},
                     {"trained_rows", std::to_string(state.trained_rows)},
                     {"seed", std::to_string(o.seed)}});
}

PointDetector read_point_detector(const std::string& path) {
  PointDetectorReader reader(path);
  try {
    return PointDetector(reader.read());
  } catch (const InvalidArgument& error) {
    reader.fail(error.what());
  }
}

bool is_point_detector(const std::string& path) {
  const auto metadata = read_safetensors(path).metadata;
  const auto format = metadata.find("format");
  return format != metadata.end() &&
         format->second.starts_with("sbog-point-detector-");
}

}  // namespace sbog::detect
