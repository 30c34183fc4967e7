// SPDX-License-Identifier: Apache-2.0
// The candidates of the search; see edit_library.h.
#include "sbog/scenario/edit_library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

constexpr std::size_t kRowsForCorrelation = 4000;
constexpr std::array<double, 3> kStrengths = {0.3, 0.7, 1.5};
constexpr std::array<double, 3> kCouplings = {0.3, 0.7, 1.0};
constexpr std::array<double, 2> kPeriods = {10.0, 30.0};

struct GateSpan {
  double start;
  double end;
};

std::array<GateSpan, 4> gates_of(std::size_t width) {
  const double w = static_cast<double>(width);
  return {{{kFirstStart, w + kLastEnd},
           {0.5 * w, w + kLastEnd},
           {0.25 * w, 0.75 * w},
           {0.65 * w, 0.8 * w}}};
}

// Amounts without sign.
std::vector<double> amounts_of(EditKind kind, const ChannelProfile& profile) {
  const StrengthRange range = strength_range(kind, profile);
  if (kind == EditKind::kStuck) return {range.unit};
  std::vector<double> amounts;
  for (std::size_t i = 0; i < kStrengths.size(); ++i) {
    const double amount = kind == EditKind::kCoupling
                              ? kCouplings[i]
                              : kStrengths[i] * range.unit;
    amounts.push_back(std::clamp(amount, range.least, range.most));
  }
  return amounts;
}

class LibraryBuilder {
 public:
  LibraryBuilder(const std::vector<ChannelProfile>& profiles, std::size_t width,
                 const std::vector<std::vector<Partner>>& partners)
      : profiles_(profiles), width_(width), partners_(partners) {}

  void add(EditKind kind, std::size_t channel) {
    for (const GateSpan& gate : gates_of(width_)) {
      for (const double amount : amounts_of(kind, profiles_[channel])) {
        Edit edit;
        edit.kind = kind;
        edit.channel = channel;
        edit.amount = amount;
        edit.start = gate.start;
        edit.end = gate.end;
        add_variants(edit);
      }
    }
  }
  std::vector<Edit> take() { return std::move(edits_); }

 private:
  void add_variants(Edit edit) {
    if (edit.kind == EditKind::kCoupling) {
      for (const Partner& partner : partners_[edit.channel]) {
        edit.partner = partner.channel;
        edit.partner_sign = partner.sign;
        push(edit);
      }
    } else if (edit.kind == EditKind::kOscillation) {
      for (const double period : kPeriods) {
        edit.period = period;
        push(edit);
      }
    } else {
      if (edit.kind == EditKind::kDelay) {
        const std::vector<Partner>& known = partners_[edit.channel];
        edit.partner = known.empty() ? edit.channel : known.front().channel;
      }
      push(edit);
      if (is_one_sided(edit.kind)) return;
      edit.amount = -edit.amount;
      push(edit);
    }
  }
  void push(Edit edit) {
    project_edit(profiles_[edit.channel], width_,
                 std::copysign(1.0, edit.amount), edit);
    edits_.push_back(edit);
  }

  const std::vector<ChannelProfile>& profiles_;
  std::size_t width_;
  const std::vector<std::vector<Partner>>& partners_;
  std::vector<Edit> edits_;
};

// Correlations from every so many rows, in standard units.
Matrix<double> correlations(const WindowSource& windows) {
  const std::size_t channels = windows.channels();
  const std::size_t step =
      std::max<std::size_t>(1, windows.rows() / kRowsForCorrelation);
  Matrix<double> sums(channels, channels);
  for (std::size_t a = 0; a < channels; ++a) {
    const auto left = windows.raw_series(a);
    for (std::size_t b = a + 1; b < channels; ++b) {
      const auto right = windows.raw_series(b);
      double sum = 0.0;
      for (std::size_t t = 0; t < left.size(); t += step) {
        sum += (left[t] - windows.statistics().means[a]) *
               (right[t] - windows.statistics().means[b]);
      }
      sum /= windows.statistics().deviations[a] *
             windows.statistics().deviations[b];
      sums(a, b) = sums(b, a) = sum;
    }
  }
  return sums;
}

}  // namespace

std::vector<std::vector<Partner>> coupling_partners(
    const WindowSource& windows, const std::vector<ChannelProfile>& profiles) {
  const Matrix<double> sums = correlations(windows);
  std::vector<std::vector<Partner>> partners(windows.channels());
  for (std::size_t c = 0; c < partners.size(); ++c) {
    if (profiles[c].kind != ChannelClass::kContinuous) continue;
    std::vector<std::size_t> others;
    for (std::size_t d = 0; d < partners.size(); ++d) {
      if (d != c && profiles[d].kind != ChannelClass::kConstant) {
        others.push_back(d);
      }
    }
    std::stable_sort(others.begin(), others.end(),
                     [&](std::size_t a, std::size_t b) {
                       return std::abs(sums(c, a)) > std::abs(sums(c, b));
                     });
    if (others.size() > 3) {
      others = {others[0], others[1], others.back()};
    }
    for (const std::size_t d : others) {
      partners[c].push_back({d, sums(c, d) < 0.0 ? -1.0 : 1.0});
    }
  }
  return partners;
}

bool is_allowed(const EditAllowance& allowance, EditKind kind,
                std::size_t channel, const ChannelProfile& profile) {
  const auto has = [](const auto& list, auto value) {
    return list.empty() ||
           std::find(list.begin(), list.end(), value) != list.end();
  };
  return has(allowance.kinds, kind) && has(allowance.channels, channel) &&
         suits(kind, profile, allowance.delays_discrete);
}

std::vector<Edit> make_library(
    const std::vector<ChannelProfile>& profiles, std::size_t width,
    const EditAllowance& allowance,
    const std::vector<std::vector<Partner>>& partners) {
  for (const std::size_t channel : allowance.channels) {
    if (channel >= profiles.size()) {
      throw InvalidArgument("make_library: channel " + std::to_string(channel) +
                            " is allowed, but there are " +
                            std::to_string(profiles.size()));
    }
  }
  LibraryBuilder builder(profiles, width, partners);
  for (std::size_t c = 0; c < profiles.size(); ++c) {
    for (const EditKind kind : kEditKinds) {
      if (is_allowed(allowance, kind, c, profiles[c])) builder.add(kind, c);
    }
  }
  std::vector<Edit> edits = builder.take();
  if (edits.empty()) {
    throw InvalidArgument(
        "make_library: no allowed kind of edit suits any allowed channel");
  }
  return edits;
}

}  // namespace sbog::series
