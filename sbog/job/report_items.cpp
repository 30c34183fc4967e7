// SPDX-License-Identifier: Apache-2.0
// Items of the bank in a report; see report_files.h.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/image/decode_image.h"
#include "sbog/image/png.h"
#include "sbog/image/resize.h"
#include "sbog/job/files.h"
#include "sbog/job/outlier_neighbours.h"
#include "sbog/job/point_train.h"
#include "sbog/job/report_files.h"
#include "sbog/report/safe_text.h"

namespace sbog::job {
namespace {

namespace fs = std::filesystem;

// Bytes of a text on the page, and of a picture that is read for it.
constexpr std::size_t kLongestText = 400;
constexpr std::uintmax_t kLargestPicture = std::uintmax_t{32} << 20;
constexpr std::size_t kThumbnail = 96;
constexpr std::size_t kPicturePixels = std::size_t{1} << 25;

// Cut where a character begins.
std::string cut(const std::string& text) {
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end) + "\xE2\x80\xA6";
}

bool names_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::string thumbnail(const fs::path& path) {
  ImageLimits limits;
  limits.max_pixels = kPicturePixels;
  Image image = read_image(path.string(), limits);
  const std::size_t longest = std::max(image.shape.height, image.shape.width);
  if (longest > kThumbnail) {
    const auto shrunk = [&](std::size_t side) {
      return std::max<std::size_t>(1, side * kThumbnail / longest);
    };
    image =
        resize(image, shrunk(image.shape.height), shrunk(image.shape.width));
  }
  return base64(encode_png(image.shape, image.pixels));
}

// The picture that a line names, or nothing: then its text has to do.
std::optional<std::string> picture_of(const std::string& text,
                                      const fs::path& beside) {
  const fs::path named(text);
  if (!names_picture(named)) return std::nullopt;
  for (const fs::path& path : {named, beside / named}) {
    std::error_code error;
    if (!fs::is_regular_file(path, error) ||
        fs::file_size(path, error) > kLargestPicture || error) {
      continue;
    }
    try {
      return thumbnail(path);
    } catch (const IoError&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// Where the lines of the run were taken from.
fs::path folder_of_lines(const std::string& given, const FinishedRun& run) {
  if (!given.empty()) return fs::path(given).parent_path();
  return fs::path(run.manifest().value("items", "")).parent_path();
}

// Outliers all over the shown ones, so of every class.
std::vector<std::size_t> choose_listed(std::size_t shown) {
  const std::size_t count = std::min(shown, ReportLimits::kListed);
  std::vector<std::size_t> listed(count);
  for (std::size_t i = 0; i < count; ++i) listed[i] = i * shown / count;
  return listed;
}

void add_pictures(const fs::path& beside, const std::vector<std::string>& lines,
                  ReportData& data) {
  for (const std::size_t i : data.listed) {
    for (const std::size_t at : data.outliers.facts[i].neighbours) {
      ReportItem& item = data.items[at];
      if (!item.png) item.png = picture_of(lines[item.row], beside);
    }
  }
}

}  // namespace

template <typename T>
SolveStatus add_report_items(const std::string& given, const FinishedRun& run,
                             const ReportPointProblem<T>& problem,
                             ReportData& data, const Context& context) {
  const bool is_kept = run.has_file(kItemsFile);
  if (given.empty() && !is_kept) return SolveStatus::kDone;
  const std::vector<std::string> lines = load_items(
      given.empty() ? run.file(kItemsFile) : given, problem.bank.rows());
  std::vector<std::size_t> shown;
  for (const ReportOutlier& o : data.outliers.facts) shown.push_back(o.index);
  if (shown.empty()) return SolveStatus::kDone;
  if (*std::ranges::max_element(shown) >= problem.outliers.rows()) {
    throw IoError(run.file("outliers.csv"),
                  "has an index that outliers.npy has no row for");
  }
  const Matrix<T> points = copy_rows<T>(problem.outliers, shown);
  const Neighbours near = nearest_told_rows<T>(problem.bank, points.view(),
                                               problem.energy, context);
  if (near.status != SolveStatus::kDone) return near.status;
  std::map<std::size_t, std::size_t> position_of_row;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (const std::size_t row : near.rows.row(i)) {
      const auto [at, is_new] =
          position_of_row.try_emplace(row, data.items.size());
      if (is_new) {
        data.items.push_back(
            {row, problem.bank_classes[row], cut(lines[row]), {}});
      }
      data.outliers.facts[i].neighbours.push_back(at->second);
    }
  }
  data.listed = choose_listed(shown.size());
  add_pictures(folder_of_lines(given, run), lines, data);
  if (is_kept) {
    data.command += " --items " + shell_word(run.file(kItemsFile));
  }
  return SolveStatus::kDone;
}

template SolveStatus add_report_items(const std::string&, const FinishedRun&,
                                      const ReportPointProblem<float>&,
                                      ReportData&, const Context&);
template SolveStatus add_report_items(const std::string&, const FinishedRun&,
                                      const ReportPointProblem<double>&,
                                      ReportData&, const Context&);

}  // namespace sbog::job
