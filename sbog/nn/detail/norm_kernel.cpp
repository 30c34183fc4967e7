// SPDX-License-Identifier: Apache-2.0
// Highway implementation of norm_kernel.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/nn/detail/norm_kernel.cpp"
#include "sbog/nn/detail/norm_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/nn/detail/conv_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::series::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPadding>;
using Vec = hn::Vec<Tag>;

// Calls body(t, mask of the samples that are there) for every vector of the
// rounded width.
template <class Body>
HWY_INLINE void for_vectors(std::size_t width, const Body& body) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t t = 0; t < rounded_width(width); t += lanes) {
    body(t, hn::FirstN(d, t < width ? width - t : 0));
  }
}

HWY_INLINE double total(Vec v) { return hn::GetLane(hn::SumOfLanes(Tag(), v)); }

RowMoments moments(const float* HWY_RESTRICT row, std::size_t width) {
  const Tag d;
  Vec sum = hn::Zero(d);
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    sum = hn::Add(sum, hn::IfThenElseZero(mask, hn::Load(d, row + t)));
  });
  RowMoments result;
  result.mean = total(sum) / static_cast<double>(width);
  const float centre = static_cast<float>(result.mean);
  Vec squares = hn::Zero(d);
  Vec rest = hn::Zero(d);
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec apart = hn::IfThenElseZero(
        mask, hn::Sub(hn::Load(d, row + t), hn::Set(d, centre)));
    squares = hn::MulAdd(apart, apart, squares);
    rest = hn::Add(rest, apart);
  });
  // The mean of what is left corrects the rounding of the centre.
  const double off = total(rest) / static_cast<double>(width);
  result.mean = static_cast<double>(centre) + off;
  result.squares = total(squares) - static_cast<double>(width) * off * off;
  if (result.squares < 0.0) result.squares = 0.0;
  return result;
}

HWY_INLINE Vec affine_of(const float* y, RowAffine affine) {
  const Tag d;
  return hn::MulAdd(hn::Load(d, y), hn::Set(d, affine.scale),
                    hn::Set(d, affine.shift));
}

void relu(const float* HWY_RESTRICT y, RowAffine affine, std::size_t width,
          float* HWY_RESTRICT out) {
  const Tag d;
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec positive = hn::Max(affine_of(y + t, affine), hn::Zero(d));
    hn::Store(hn::IfThenElseZero(mask, positive), d, out + t);
  });
}

void add_affine(const float* HWY_RESTRICT y, RowAffine affine,
                std::size_t width, float* HWY_RESTRICT out) {
  const Tag d;
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec sum = hn::Add(hn::Load(d, out + t), affine_of(y + t, affine));
    hn::Store(hn::IfThenElseZero(mask, sum), d, out + t);
  });
}

void add_plain(const float* HWY_RESTRICT in, std::size_t width,
               float* HWY_RESTRICT out) {
  const Tag d;
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec sum = hn::Add(hn::Load(d, out + t), hn::Load(d, in + t));
    hn::Store(hn::IfThenElseZero(mask, sum), d, out + t);
  });
}

GradientSums sums(const float* HWY_RESTRICT g, const float* HWY_RESTRICT y,
                  float mean, std::size_t width) {
  const Tag d;
  Vec plain = hn::Zero(d);
  Vec weighted = hn::Zero(d);
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec gradient = hn::IfThenElseZero(mask, hn::Load(d, g + t));
    const Vec apart = hn::Sub(hn::Load(d, y + t), hn::Set(d, mean));
    plain = hn::Add(plain, gradient);
    weighted = hn::MulAdd(gradient, apart, weighted);
  });
  return {total(plain), total(weighted)};
}

GradientSums masked_sums(float* HWY_RESTRICT g, const float* HWY_RESTRICT y,
                         RowAffine affine, float mean, std::size_t width) {
  const Tag d;
  Vec plain = hn::Zero(d);
  Vec weighted = hn::Zero(d);
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const auto is_on = hn::Gt(affine_of(y + t, affine), hn::Zero(d));
    const Vec gradient =
        hn::IfThenElseZero(hn::And(mask, is_on), hn::Load(d, g + t));
    hn::Store(gradient, d, g + t);
    const Vec apart = hn::Sub(hn::Load(d, y + t), hn::Set(d, mean));
    plain = hn::Add(plain, gradient);
    weighted = hn::MulAdd(gradient, apart, weighted);
  });
  return {total(plain), total(weighted)};
}

void gradient_row(const float* HWY_RESTRICT g, const float* HWY_RESTRICT y,
                  const NormGradient& law, std::size_t width,
                  float* HWY_RESTRICT out) {
  const Tag d;
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    const Vec apart = hn::Sub(hn::Load(d, y + t), hn::Set(d, law.mean));
    const Vec bent =
        hn::MulAdd(hn::Set(d, law.bend), apart, hn::Set(d, law.constant));
    const Vec value =
        hn::MulAdd(hn::Set(d, law.slope), hn::Load(d, g + t), bent);
    hn::Store(hn::IfThenElseZero(mask, value), d, out + t);
  });
}

double sum_row(const float* HWY_RESTRICT row, std::size_t width) {
  const Tag d;
  Vec sum = hn::Zero(d);
  for_vectors(width, [&](std::size_t t, auto mask) HWY_ATTR {
    sum = hn::Add(sum, hn::IfThenElseZero(mask, hn::Load(d, row + t)));
  });
  return total(sum);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::series::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::series::detail {
HWY_EXPORT(moments);
HWY_EXPORT(relu);
HWY_EXPORT(add_affine);
HWY_EXPORT(add_plain);
HWY_EXPORT(sums);
HWY_EXPORT(masked_sums);
HWY_EXPORT(gradient_row);
HWY_EXPORT(sum_row);

RowMoments row_moments(const float* row, std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(moments)(row, width);
}
void normalise_relu(const float* y, RowAffine affine, std::size_t width,
                    float* out) {
  HWY_DYNAMIC_DISPATCH(relu)(y, affine, width, out);
}
void add_normalised(const float* y, RowAffine affine, std::size_t width,
                    float* out) {
  HWY_DYNAMIC_DISPATCH(add_affine)(y, affine, width, out);
}
void add_row(const float* in, std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(add_plain)(in, width, out);
}
GradientSums gradient_sums(const float* g, const float* y, float mean,
                           std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(sums)(g, y, mean, width);
}
GradientSums mask_and_sum(float* g, const float* y, RowAffine affine,
                          float mean, std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(masked_sums)(g, y, affine, mean, width);
}
void norm_gradient(const float* g, const float* y, const NormGradient& law,
                   std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(gradient_row)(g, y, law, width, out);
}
double row_sum(const float* row, std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(sum_row)(row, width);
}

}  // namespace sbog::series::detail
#endif  // HWY_ONCE
