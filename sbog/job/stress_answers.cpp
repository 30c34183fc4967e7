// SPDX-License-Identifier: Apache-2.0
// See stress_answers.h.
#include "sbog/job/stress_answers.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace {

std::size_t rows_of_window(const StressInputs& inputs) {
  return inputs.cases.shape().size() == 3 ? inputs.cases.shape()[1] : 1;
}

// Cases [first, first + count), sharing the bytes.
Array slice(const Array& all, std::size_t first, std::size_t count) {
  std::vector<std::size_t> shape = all.shape();
  const std::size_t each = all.byte_count() / shape[0];
  shape[0] = count;
  return Array(all.name(), all.type(), std::move(shape),
               std::shared_ptr<const std::byte>(all.shared_bytes(),
                                                all.bytes() + first * each));
}

WindowPlaces places_of(const StressInputs& inputs, bool are_controls,
                       std::size_t first, std::size_t count) {
  WindowPlaces places;
  const auto& starts =
      are_controls ? inputs.control_starts : inputs.case_starts;
  if (starts.size() < first + count) return places;
  const auto& recording = are_controls && inputs.control_recording
                              ? inputs.control_recording
                              : inputs.recording;
  if (recording) places.recording = &*recording;
  const auto from = starts.begin() + static_cast<std::ptrdiff_t>(first);
  places.starts.assign(from, from + static_cast<std::ptrdiff_t>(count));
  return places;
}

// All batches of the cases or of the controls; false when stopped.
class Asker {
 public:
  Asker(const StressModel& model, const std::string& name,
        const StressInputs& inputs, std::size_t batch, const AnswerParts* parts)
      : model_(model),
        name_(name),
        inputs_(inputs),
        batch_(batch),
        parts_(parts) {}

  bool ask(bool are_controls, ProgressCounter& progress,
           Matrix<double>& answers) {
    const Array& all = are_controls ? inputs_.controls : inputs_.cases;
    const std::size_t count = all.shape().size() < 2 ? 0 : all.shape()[0];
    for (std::size_t first = 0; first < count; first += batch_) {
      const std::size_t size = std::min(batch_, count - first);
      const std::string part =
          std::string(are_controls ? "controls" : "cases") + "-" +
          std::to_string(first / batch_);
      std::optional<Matrix<double>> said;
      if (parts_ != nullptr) said = parts_->find(part, size);
      if (!said) {
        said = model_({slice(all, first, size),
                       places_of(inputs_, are_controls, first, size)});
        if (said->rows() == 0) return false;
        check(*said, size, answers);
        if (parts_ != nullptr) {
          parts_->keep(part, std::as_const(*said).view());
        }
      }
      check(*said, size, answers);
      if (answers.rows() == 0) answers = Matrix<double>(count, said->cols());
      std::copy_n(said->data(), said->size(), answers.row(first).data());
      if (!progress.add(size)) return false;
    }
    return true;
  }

 private:
  void check(const Matrix<double>& said, std::size_t size,
             const Matrix<double>& answers) {
    if (said.rows() != size) {
      throw IoError(name_, "gave " + std::to_string(said.rows()) +
                               " answers to " + std::to_string(size) +
                               " cases");
    }
    const std::size_t before = columns_;
    columns_ = said.cols();
    if (answers.rows() == 0 && before == 0) return;
    if (before != 0 && before != columns_) {
      throw IoError(name_, "answered with " + std::to_string(before) +
                               " columns, then with " +
                               std::to_string(columns_));
    }
  }

  const StressModel& model_;
  const std::string& name_;
  const StressInputs& inputs_;
  std::size_t batch_;
  const AnswerParts* parts_;
  std::size_t columns_ = 0;
};

Matrix<double> read_prediction_rows(const std::string& path,
                                    std::size_t width) {
  const Array array = load_array(path);
  const LoadedMatrix<double> values = to_matrix<double>(array);
  const bool is_row_list =
      width > 1 && values.cols() == 1 && values.rows() % width == 0;
  Matrix<double> rows(is_row_list ? values.rows() / width : values.rows(),
                      is_row_list ? width : values.cols());
  std::copy_n(values.view().data(), rows.size(), rows.data());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const double x : std::as_const(rows).row(i)) {
      if (std::isnan(x)) {
        throw IoError(path, "row " + std::to_string(i) + " has NaN");
      }
    }
  }
  return rows;
}

// Of answers to all decoded images those to images that are cases.
Matrix<double> answers_to_cases(MatrixView<const double> all,
                                const StressInputs& inputs) {
  Matrix<double> answers(inputs.facts.size(), all.cols());
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    const auto row = all.row(inputs.facts[i].row);
    std::copy(row.begin(), row.end(), answers.row(i).begin());
  }
  return answers;
}

}  // namespace

StressAnswers ask_model(const StressModel& model, const std::string& name,
                        const StressInputs& inputs, std::size_t batch,
                        const AnswerParts* parts, Events& events,
                        const Context& context) {
  StressAnswers answers;
  const std::size_t controls =
      inputs.controls.shape().size() < 2 ? 0 : inputs.controls.shape()[0];
  Stage stage(events, context, "asking the model");
  ProgressCounter progress(stage.context().observer,
                           inputs.sorted.count + controls);
  Asker asker(model, name, inputs, batch, parts);
  answers.is_stopped = !asker.ask(false, progress, answers.cases) ||
                       !asker.ask(true, progress, answers.controls);
  return answers;
}

StressAnswers read_predictions(const std::string& cases,
                               const std::string& controls,
                               const StressInputs& inputs) {
  const std::size_t width = rows_of_window(inputs);
  StressAnswers answers;
  answers.cases = read_prediction_rows(cases, width);
  if (inputs.kind == Kind::kImages &&
      answers.cases.rows() == inputs.rows_in_file) {
    answers.cases = answers_to_cases(answers.cases.view(), inputs);
  }
  if (answers.cases.rows() != inputs.sorted.count) {
    // One number per window is no list of one per row, whatever divides.
    const auto plain = read_prediction_rows(cases, 1);
    if (plain.rows() != inputs.sorted.count) {
      throw IoError(cases, "has " + std::to_string(plain.rows()) +
                               " rows; one for each of " +
                               std::to_string(inputs.sorted.count) +
                               " cases is expected");
    }
    answers.cases = plain.clone();
  }
  if (controls.empty()) return answers;
  const bool has_rows = answers.cases.cols() == width;
  answers.controls = read_prediction_rows(controls, has_rows ? width : 1);
  if (answers.controls.cols() != answers.cases.cols()) {
    throw IoError(controls, "has " + std::to_string(answers.controls.cols()) +
                                " columns, the answers to the cases " +
                                std::to_string(answers.cases.cols()));
  }
  return answers;
}

stress::Task guess_task(const StressInputs& inputs, std::size_t columns) {
  const std::size_t width = rows_of_window(inputs);
  const bool is_detector = columns == 1 || (width > 1 && columns == width);
  return is_detector ? stress::Task::kDetector : stress::Task::kClassifier;
}

void check_answer_columns(const std::string& name, stress::Task task,
                          const StressInputs& inputs, std::size_t columns) {
  const std::size_t width = rows_of_window(inputs);
  switch (task) {
    case stress::Task::kClassifier:
      if (columns >= 2) return;
      throw IoError(name, "gave one column; a classifier gives one per class");
    case stress::Task::kDetector:
      if (columns == 1 || columns == width) return;
      throw IoError(name, "gave " + std::to_string(columns) +
                              " columns; a detector gives one score per case" +
                              (width > 1 ? ", or " + std::to_string(width) +
                                               ", one for each row"
                                         : ""));
    case stress::Task::kLoss:
      break;
  }
  if (columns == 1) return;
  throw IoError(name, "gave " + std::to_string(columns) +
                          " columns; one loss per case is expected");
}

std::uint64_t answers_identity(const StressInputs& inputs,
                               const std::string& model, std::size_t batch) {
  Checksum sum;
  sum.update(model.data(), model.size());
  // A detector's file: another training is another model. A folder has one.
  if (!is_model_command(model)) {
    auto file = read_file_if_there(model);
    if (!file) file = read_file_if_there(model + "/detector.safetensors");
    const std::string bytes = file.value_or("");
    sum.update(bytes.data(), bytes.size());
  }
  sum.update(&batch, sizeof batch);
  for (const Array* array : {&inputs.cases, &inputs.controls}) {
    for (const std::size_t extent : array->shape()) {
      sum.update(&extent, sizeof extent);
    }
    if (array->byte_count() > 0) {
      sum.update(array->bytes(), array->byte_count());
    }
  }
  return sum.digest();
}

}  // namespace sbog::job
