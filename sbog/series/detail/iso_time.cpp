// SPDX-License-Identifier: Apache-2.0
// A small cursor over the fields of a time; see iso_time.h.
#include "sbog/series/detail/iso_time.h"

#include <chrono>
#include <cstddef>

namespace sbog::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool is_done() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Exactly `digits` digits, at most `limit`.
  std::optional<int> number(std::size_t digits, int limit) {
    if (text_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[i])) return std::nullopt;
      value = 10 * value + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    if (value > limit) return std::nullopt;
    return value;
  }
  // The digits after a decimal point.
  std::optional<double> fraction() {
    double value = 0.0;
    double unit = 0.1;
    if (text_.empty() || !is_digit(text_.front())) return std::nullopt;
    while (!text_.empty() && is_digit(text_.front())) {
      value += unit * (text_.front() - '0');
      unit /= 10.0;
      text_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<double> days_part(Cursor& cursor) {
  const auto year = cursor.number(4, 9999);
  if (!year || !cursor.take('-')) return std::nullopt;
  const auto month = cursor.number(2, 12);
  if (!month || !cursor.take('-')) return std::nullopt;
  const auto day = cursor.number(2, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(*year),
      std::chrono::month(static_cast<unsigned>(*month)),
      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days);
}

std::optional<double> clock_part(Cursor& cursor) {
  const auto hour = cursor.number(2, 24);
  if (!hour || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.number(2, 59);
  if (!minute) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (!cursor.take(':')) return seconds;
  const auto second = cursor.number(2, 60);  // 60: a leap second
  if (!second) return std::nullopt;
  seconds += *second;
  if (!cursor.take('.')) return seconds;
  const auto fraction = cursor.fraction();
  if (!fraction) return std::nullopt;
  return seconds + *fraction;
}

std::optional<double> offset_part(Cursor& cursor) {
  if (cursor.is_done() || cursor.take('Z')) return 0.0;
  const bool is_east = cursor.take('+');
  if (!is_east && !cursor.take('-')) return std::nullopt;
  const auto hour = cursor.number(2, 23);
  if (!hour) return std::nullopt;
  cursor.take(':');
  const auto minute =
      cursor.is_done() ? std::optional<int>(0) : cursor.number(2, 59);
  if (!minute) return std::nullopt;
  const double seconds = 3600.0 * *hour + 60.0 * *minute;
  return is_east ? seconds : -seconds;
}

}  // namespace

std::optional<double> parse_iso_time(std::string_view text) {
  Cursor cursor(text);
  const auto days = days_part(cursor);
  if (!days) return std::nullopt;
  if (cursor.is_done()) return days;
  if (!cursor.take('T') && !cursor.take(' ')) return std::nullopt;
  const auto clock = clock_part(cursor);
  if (!clock) return std::nullopt;
  const auto offset = offset_part(cursor);
  if (!offset || !cursor.is_done()) return std::nullopt;
  return *days + *clock - *offset;
}

}  // namespace sbog::detail
