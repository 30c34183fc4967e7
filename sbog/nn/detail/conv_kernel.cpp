// SPDX-License-Identifier: Apache-2.0
// Highway implementation of conv_kernel.h.
//
// A tile of four outputs x a few vectors of time stays in registers while
// inputs and taps run; weights are broadcast. Gradients of weights keep four
// outputs x up to five taps in registers while time runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/nn/detail/conv_kernel.cpp"
#include "sbog/nn/detail/conv_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace sbog::series::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPadding>;
using Vec = hn::Vec<Tag>;
template <std::size_t kValue>
using Count = std::integral_constant<std::size_t, kValue>;

// 24 accumulators fill 32 registers beside the inputs and a weight; 12 fill 16.
constexpr std::size_t kMaxVectors = HWY_TARGET <= HWY_AVX3 ? 6 : 3;
constexpr std::size_t kMaxTaps = HWY_TARGET <= HWY_AVX3 ? 5 : 2;

// run(Count<n>()) for 1 <= n <= kMax.
template <std::size_t kMax, class Run>
HWY_INLINE void with_count(std::size_t n, const Run& run) {
  if constexpr (kMax > 1) {
    if (n < kMax) return with_count<kMax - 1>(n, run);
  }
  run(Count<kMax>());
}

template <std::size_t kOut, std::size_t kVectors>
HWY_INLINE void conv_tile(const ConvShape& shape,
                          const float* HWY_RESTRICT packed,
                          const float* HWY_RESTRICT bias,
                          const float* HWY_RESTRICT in, std::size_t in_stride,
                          bool adds, float* HWY_RESTRICT out,
                          std::size_t out_stride) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec sums[kOut][kVectors];
  for (std::size_t o = 0; o < kOut; ++o) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[o][v] = adds ? hn::Load(d, out + o * out_stride + v * lanes)
                        : hn::Set(d, bias == nullptr ? 0.0F : bias[o]);
    }
  }
  for (std::size_t i = 0; i < shape.inputs; ++i, in += in_stride) {
    for (std::size_t k = 0; k < shape.kernel; ++k, packed += kOut) {
      const float* HWY_RESTRICT at = in + k;
      Vec samples[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) {
        samples[v] = hn::LoadU(d, at + v * lanes);
      }
      for (std::size_t o = 0; o < kOut; ++o) {
        const Vec weight = hn::Set(d, packed[o]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          sums[o][v] = hn::MulAdd(weight, samples[v], sums[o][v]);
        }
      }
    }
  }
  for (std::size_t o = 0; o < kOut; ++o) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sums[o][v], d, out + o * out_stride + v * lanes);
    }
  }
}

// One group of outputs over all time, in tiles of nearly equal size: a last
// tile of one vector would wait for its own additions.
template <std::size_t kOut>
void conv_group(const ConvShape& shape, const float* packed, const float* bias,
                const float* in, std::size_t in_stride, bool adds, float* out,
                std::size_t out_stride) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t left = rounded_width(shape.width) / lanes;
  std::size_t tiles = (left + kMaxVectors - 1) / kMaxVectors;
  in -= shape.left;
  const auto run = [&](auto vectors) HWY_ATTR {
    constexpr std::size_t kVectors = decltype(vectors)::value;
    conv_tile<kOut, kVectors>(shape, packed, bias, in, in_stride, adds, out,
                              out_stride);
  };
  for (; tiles > 0; --tiles) {
    const std::size_t vectors = (left + tiles - 1) / tiles;
    with_count<kMaxVectors>(vectors, run);
    in += vectors * lanes;
    out += vectors * lanes;
    left -= vectors;
  }
}

void convolve_all(const ConvShape& shape, const float* packed,
                  const float* bias, const float* in, std::size_t in_stride,
                  bool adds, float* out, std::size_t out_stride) {
  const std::size_t per_output = shape.inputs * shape.kernel;
  std::size_t o = 0;
  const auto bias_at = [&] { return bias == nullptr ? nullptr : bias + o; };
  for (; o + kGroup <= shape.outputs; o += kGroup) {
    conv_group<kGroup>(shape, packed + o * per_output, bias_at(), in, in_stride,
                       adds, out + o * out_stride, out_stride);
  }
  for (; o < shape.outputs; ++o) {
    conv_group<1>(shape, packed + o * per_output, bias_at(), in, in_stride,
                  adds, out + o * out_stride, out_stride);
  }
}

template <std::size_t kOut, std::size_t kTaps>
HWY_INLINE void gradient_tile(std::size_t width, std::size_t output_step,
                              const float* HWY_RESTRICT dy,
                              std::size_t dy_stride,
                              const float* HWY_RESTRICT in,
                              float* HWY_RESTRICT sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec totals[kOut][kTaps];
  for (std::size_t o = 0; o < kOut; ++o) {
    for (std::size_t k = 0; k < kTaps; ++k) {
      totals[o][k] = hn::Load(d, sums + o * output_step + k * kPadding);
    }
  }
  for (std::size_t t = 0; t < width; t += lanes) {
    Vec gradients[kOut];
    for (std::size_t o = 0; o < kOut; ++o) {
      gradients[o] = hn::Load(d, dy + o * dy_stride + t);
    }
    for (std::size_t k = 0; k < kTaps; ++k) {
      const Vec sample = hn::LoadU(d, in + t + k);
      for (std::size_t o = 0; o < kOut; ++o) {
        totals[o][k] = hn::MulAdd(gradients[o], sample, totals[o][k]);
      }
    }
  }
  for (std::size_t o = 0; o < kOut; ++o) {
    for (std::size_t k = 0; k < kTaps; ++k) {
      hn::Store(totals[o][k], d, sums + o * output_step + k * kPadding);
    }
  }
}

template <std::size_t kOut>
void gradient_group(const ConvShape& shape, const float* dy,
                    std::size_t dy_stride, const float* in,
                    std::size_t in_stride, float* sums) {
  const std::size_t output_step = shape.inputs * shape.kernel * kPadding;
  for (std::size_t i = 0; i < shape.inputs; ++i) {
    const float* row = in + i * in_stride - shape.left;
    float* to = sums + i * shape.kernel * kPadding;
    std::size_t tiles = (shape.kernel + kMaxTaps - 1) / kMaxTaps;
    std::size_t k = 0;
    const auto run = [&](auto taps) HWY_ATTR {
      constexpr std::size_t kTaps = decltype(taps)::value;
      gradient_tile<kOut, kTaps>(shape.width, output_step, dy, dy_stride,
                                 row + k, to + k * kPadding);
    };
    for (; tiles > 0; --tiles) {
      const std::size_t taps = (shape.kernel - k + tiles - 1) / tiles;
      with_count<kMaxTaps>(taps, run);
      k += taps;
    }
  }
}

void gradient_all(const ConvShape& shape, const float* dy,
                  std::size_t dy_stride, const float* in, std::size_t in_stride,
                  float* sums) {
  const std::size_t output_step = shape.inputs * shape.kernel * kPadding;
  std::size_t o = 0;
  for (; o + kGroup <= shape.outputs; o += kGroup) {
    gradient_group<kGroup>(shape, dy + o * dy_stride, dy_stride, in, in_stride,
                           sums + o * output_step);
  }
  for (; o < shape.outputs; ++o) {
    gradient_group<1>(shape, dy + o * dy_stride, dy_stride, in, in_stride,
                      sums + o * output_step);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::series::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::series::detail {
HWY_EXPORT(convolve_all);
HWY_EXPORT(gradient_all);

namespace {

// weight_of(o, i, k) in the order of the kernel.
template <class WeightOf>
void pack(const ConvShape& shape, const WeightOf& weight_of, float* packed) {
  std::size_t first = 0;
  while (first < shape.outputs) {
    const std::size_t group = shape.outputs - first >= kGroup ? kGroup : 1;
    for (std::size_t i = 0; i < shape.inputs; ++i) {
      for (std::size_t k = 0; k < shape.kernel; ++k) {
        for (std::size_t o = first; o < first + group; ++o) {
          *packed++ = weight_of(o, i, k);
        }
      }
    }
    first += group;
  }
}

}  // namespace

void pack_weights(const float* weights, const ConvShape& shape, float* packed) {
  pack(
      shape,
      [&](std::size_t o, std::size_t i, std::size_t k) {
        return weights[(o * shape.inputs + i) * shape.kernel + k];
      },
      packed);
}

void pack_transposed(const float* weights, const ConvShape& shape,
                     float* packed) {
  pack(
      transposed(shape),
      [&](std::size_t i, std::size_t o, std::size_t k) {
        return weights[(o * shape.inputs + i) * shape.kernel + shape.kernel -
                       1 - k];
      },
      packed);
}

ConvShape transposed(const ConvShape& shape) {
  return {shape.outputs, shape.inputs, shape.kernel,
          shape.kernel - 1 - shape.left, shape.width};
}

void convolve(const ConvShape& shape, const float* packed, const float* bias,
              const float* in, std::size_t in_stride, bool adds, float* out,
              std::size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(convolve_all)
  (shape, packed, bias, in, in_stride, adds, out, out_stride);
}

std::size_t weight_sum_size(const ConvShape& shape) {
  return shape.outputs * shape.inputs * shape.kernel * kPadding;
}

void add_weight_gradient(const ConvShape& shape, const float* dy,
                         std::size_t dy_stride, const float* in,
                         std::size_t in_stride, float* sums) {
  HWY_DYNAMIC_DISPATCH(gradient_all)
  (shape, dy, dy_stride, in, in_stride, sums);
}

void finish_weight_gradient(const ConvShape& shape, const float* sums,
                            float* gradients) {
  const std::size_t count = shape.outputs * shape.inputs * shape.kernel;
  for (std::size_t w = 0; w < count; ++w) {
    double total = 0.0;
    for (std::size_t lane = 0; lane < kPadding; ++lane) {
      total += sums[w * kPadding + lane];
    }
    gradients[w] += static_cast<float>(total);
  }
}

}  // namespace sbog::series::detail
#endif  // HWY_ONCE
