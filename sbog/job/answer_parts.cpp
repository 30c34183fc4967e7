// SPDX-License-Identifier: Apache-2.0
// See answer_parts.h. A part is a line
//   sbog-answers <identity> <checksum of the numbers> <rows> <columns>
// followed by the numbers, doubles row by row.
#include "sbog/job/answer_parts.h"

#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/folder_lock.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".part";

std::string checksum_of(const char* data, std::size_t size) {
  Checksum sum;
  sum.update(data, size);
  return checksum_hex(sum.digest());
}

}  // namespace

AnswerParts::AnswerParts(std::string folder, std::uint64_t identity)
    : folder_(std::move(folder)), identity_(identity) {
  refuse_link(folder_);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw IoError(folder_, "cannot be made: " + error.message());
  remove_temporaries(folder_);
}

std::string AnswerParts::path_of(const std::string& name) const {
  return (fs::path(folder_) / (name + kEnding)).string();
}

std::optional<Matrix<double>> AnswerParts::find(const std::string& name,
                                                std::size_t rows) const {
  const auto text = read_file_if_there(path_of(name));
  if (!text) return std::nullopt;
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream head(text->substr(0, end));
  std::string format;
  std::string identity;
  std::string sum;
  std::size_t stored_rows = 0;
  std::size_t columns = 0;
  head >> format >> identity >> sum >> stored_rows >> columns;
  const std::size_t size = text->size() - end - 1;
  const bool is_fine = head && format == "sbog-answers" &&
                       identity == checksum_hex(identity_) &&
                       stored_rows == rows && rows > 0 && columns > 0 &&
                       size % (rows * sizeof(double)) == 0 &&
                       size / (rows * sizeof(double)) == columns &&
                       sum == checksum_of(text->data() + end + 1, size);
  if (!is_fine) return std::nullopt;
  Matrix<double> answers(rows, columns);
  std::memcpy(answers.data(), text->data() + end + 1, size);
  return answers;
}

void AnswerParts::keep(const std::string& name,
                       MatrixView<const double> answers) const {
  std::string body;
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    const auto row = answers.row(i);
    body.append(reinterpret_cast<const char*>(row.data()),
                row.size() * sizeof(double));
  }
  std::ostringstream head;
  head << "sbog-answers " << checksum_hex(identity_) << ' '
       << checksum_of(body.data(), body.size()) << ' ' << answers.rows() << ' '
       << answers.cols() << '\n';
  write_file_atomically(path_of(name), head.str() + body);
}

void AnswerParts::remove_parts() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code ignored;
    if (entry.path().filename().string().ends_with(kEnding)) {
      fs::remove(entry.path(), ignored);
    }
  }
}

void AnswerParts::remove() const {
  remove_parts();
  std::error_code error;
  for (const char* name : {"cases.npy", "cases.csv", "out.npy", "out.csv"}) {
    fs::remove(fs::path(folder_) / name, error);
  }
  fs::remove(folder_, error);  // fails when somebody keeps something in it
}

}  // namespace sbog::job
