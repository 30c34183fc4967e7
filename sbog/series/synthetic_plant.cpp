// SPDX-License-Identifier: Apache-2.0
// The equations of the plant; see synthetic_plant.h.
#include "sbog/series/synthetic_plant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog {
namespace {

enum Channel : std::uint32_t {
  kLoad,
  kPumpSpeed,
  kFlow,
  kValve,
  kInletPressure,
  kOutletPressure,
  kInletTemperature,
  kOutletTemperature,
  kBearingTemperature,
  kVibration,
  kTankLevel,
  kMode,
  kChannels,
};

constexpr std::array<const char*, kChannels> kNames = {"load",
                                                       "pump_speed",
                                                       "flow",
                                                       "valve",
                                                       "inlet_pressure",
                                                       "outlet_pressure",
                                                       "inlet_temperature",
                                                       "outlet_temperature",
                                                       "bearing_temperature",
                                                       "vibration",
                                                       "tank_level",
                                                       "mode"};

// Digits behind the point that a sensor reports.
constexpr std::array<int, kChannels> kDigits = {2, 1, 2, 1, 3, 3,
                                                2, 2, 2, 3, 2, 0};

constexpr std::size_t kMinutesOfDay = 1440;

double wave(double t, double period, double phase) {
  return std::sin(2.0 * std::numbers::pi * t / period + phase);
}

double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

// What the plant remembers from one minute to the next.
class Plant {
 public:
  explicit Plant(std::uint64_t seed) : seed_(seed) {}

  void step(std::size_t row, std::span<double> out) {
    const double t = static_cast<double>(row);
    drift_ = 0.995 * drift_ + 0.6 * noise(row, kLoad);
    const double load = 60.0 + 14.0 * wave(t, kMinutesOfDay, 0.0) +
                        7.0 * wave(t, 390.0, 1.0) + 3.0 * wave(t, 85.0, 2.0) +
                        drift_;
    out[kLoad] = load;
    // The mode follows the load with a dead band.
    if (load > 72.0) mode_ = 2.0;
    if (load < 48.0) mode_ = 0.0;
    if (load > 52.0 && load < 68.0) mode_ = 1.0;
    out[kMode] = mode_;
    speed_ += 0.2 * (900.0 + 9.0 * load + 40.0 * mode_ - speed_);
    out[kPumpSpeed] = speed_ + 3.0 * noise(row, kPumpSpeed);
    opening_ +=
        0.1 * (40.0 + 0.9 * (55.0 - level_) + 0.4 * (load - 60.0) - opening_);
    const double valve =
        std::clamp(opening_ + 0.4 * noise(row, kValve), 0.0, 100.0);
    out[kValve] = valve;
    const double flow = 0.011 * speed_ * (0.6 + 0.01 * valve);
    out[kFlow] = flow + 0.12 * noise(row, kFlow);
    out[kInletPressure] = 2.4 - 0.045 * flow + 0.05 * wave(t, 47.0, 0.3) +
                          0.012 * noise(row, kInletPressure);
    out[kOutletPressure] = 1.2 + 2.4e-6 * speed_ * speed_ - 0.06 * flow +
                           0.03 * noise(row, kOutletPressure);
    inlet_ += 0.02 * (18.0 + 3.0 * wave(t, kMinutesOfDay, -0.8) - inlet_) +
              0.01 * noise(row, kInletTemperature);
    out[kInletTemperature] = inlet_;
    outlet_ += 0.05 * (inlet_ + 0.35 * load - outlet_);
    out[kOutletTemperature] = outlet_ + 0.05 * noise(row, kOutletTemperature);
    bearing_ += 0.015 * (30.0 + 0.018 * speed_ + 0.3 * inlet_ - bearing_);
    out[kBearingTemperature] =
        bearing_ + 0.06 * noise(row, kBearingTemperature);
    // Vibration cannot be negative and sits at the sensor's floor when idle.
    const double shaking = 0.8 + 0.0012 * (speed_ - 1400.0) +
                           (0.08 + 0.03 * mode_) * noise(row, kVibration);
    out[kVibration] = std::max(0.2, shaking);
    const double demand =
        14.2 + 2.0 * wave(t, kMinutesOfDay, 0.7) + 1.2 * wave(t, 130.0, 0.0);
    level_ = std::clamp(level_ + 0.05 * (flow - demand), 0.0, 100.0);
    out[kTankLevel] = level_ + 0.15 * noise(row, kTankLevel);
    for (std::size_t c = 0; c < kChannels; ++c) {
      out[c] = rounded(out[c], kDigits[c]);
    }
  }

 private:
  double noise(std::size_t row, Channel channel) const {
    std::array<double, 1> value{};
    PhiloxStream(seed_, channel, 0, row).normals(0, value);
    return value[0];
  }

  std::uint64_t seed_;
  double drift_ = 0.0;
  double mode_ = 1.0;
  double speed_ = 1480.0;
  double opening_ = 40.0;
  double inlet_ = 18.0;
  double outlet_ = 39.0;
  double bearing_ = 62.0;
  double level_ = 55.0;
};

// 2024-01-01T00:00 plus minutes; months are passed over by counting days.
std::string time_of(std::size_t minute) {
  std::size_t day = minute / kMinutesOfDay;
  const std::size_t of_day = minute % kMinutesOfDay;
  std::size_t year = 2024;
  std::size_t month = 1;
  const auto length = [&] {
    constexpr std::array<std::size_t, 12> kDays = {31, 28, 31, 30, 31, 30,
                                                   31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
  };
  while (day >= length()) {
    day -= length();
    if (++month > 12) {
      month = 1;
      ++year;
    }
  }
  char text[64];
  std::snprintf(text, sizeof text, "%04zu-%02zu-%02zuT%02zu:%02zu", year, month,
                day + 1, of_day / 60, of_day % 60);
  return text;
}

}  // namespace

Series synthetic_plant(std::size_t rows, std::uint64_t seed) {
  if (rows == 0 || rows >= (std::size_t{1} << 32)) {
    throw InvalidArgument(
        "synthetic_plant: between 1 and 2^32 - 1 rows are expected");
  }
  Series series;
  series.name = "plant";
  series.channels.assign(kNames.begin(), kNames.end());
  series.values = Matrix<double>(rows, kChannels);
  series.times.reserve(rows);
  Plant plant(seed);
  for (std::size_t t = 0; t < rows; ++t) {
    plant.step(t, series.values.row(t));
    series.times.push_back(time_of(t));
  }
  return series;
}

}  // namespace sbog
