// SPDX-License-Identifier: Apache-2.0
// Highway implementation of row_kernel.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/energy/detail/row_kernel.cpp"
#include "sbog/energy/detail/row_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>

#include "sbog/base/inner_product.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kSums = 8;
using TagD = hn::CappedTag<double, kSums>;

HWY_INLINE hn::Vec<TagD> load_double(TagD d, const float* HWY_RESTRICT from) {
  const hn::Rebind<float, TagD> df;
  return hn::PromoteTo(d, hn::LoadU(df, from));
}
HWY_INLINE hn::Vec<TagD> load_double(TagD d, const double* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}

double squared_norm_float(const float* HWY_RESTRICT row, std::size_t count) {
  const TagD d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double sums[kSums] = {};
  const std::size_t whole = count / kSums * kSums;
  for (std::size_t part = 0; part < kSums; part += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t k = part; k < whole; k += kSums) {
      const auto x = load_double(d, row + k);
      sum = hn::Add(sum, hn::Mul(x, x));
    }
    hn::Store(sum, d, sums + part);
  }
  for (std::size_t k = whole; k < count; ++k) {
    sums[k - whole] +=
        static_cast<double>(row[k]) * static_cast<double>(row[k]);
  }
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

// Products of kRows rows with x.
template <std::size_t kRows, typename T>
HWY_INLINE void some_dots(const T* HWY_RESTRICT rows, std::size_t stride,
                          const double* HWY_RESTRICT x, std::size_t count,
                          double* HWY_RESTRICT out) {
  const TagD d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / kSums * kSums;
  HWY_ALIGN double sums[kRows][kSums];
  for (std::size_t part = 0; part < kSums; part += lanes) {
    hn::Vec<TagD> sum[kRows];
    for (std::size_t r = 0; r < kRows; ++r) sum[r] = hn::Zero(d);
    for (std::size_t k = part; k < whole; k += kSums) {
      const auto y = hn::LoadU(d, x + k);
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto z = load_double(d, rows + r * stride + k);
        sum[r] = hn::Add(sum[r], hn::Mul(z, y));
      }
    }
    for (std::size_t r = 0; r < kRows; ++r)
      hn::Store(sum[r], d, sums[r] + part);
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = whole; k < count; ++k) {
      sums[r][k - whole] += static_cast<double>(rows[r * stride + k]) * x[k];
    }
    double total = 0.0;
    for (const double sum : sums[r]) total += sum;
    out[r] = total;
  }
}

template <typename T>
HWY_INLINE void row_dots_impl(const T* HWY_RESTRICT rows, std::size_t count,
                              std::size_t cols, std::size_t stride,
                              const double* HWY_RESTRICT x,
                              double* HWY_RESTRICT out) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    some_dots<4>(rows + i * stride, stride, x, cols, out + i);
  }
  for (; i < count; ++i)
    some_dots<1>(rows + i * stride, stride, x, cols, out + i);
}

// out += sum of kRows rows times their factors, in the order of the rows.
template <std::size_t kRows, typename T>
HWY_INLINE void add_some(const T* HWY_RESTRICT rows, std::size_t stride,
                         const double* HWY_RESTRICT factors, std::size_t count,
                         double* HWY_RESTRICT out) {
  const TagD d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    auto sum = hn::LoadU(d, out + k);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto z = load_double(d, rows + r * stride + k);
      sum = hn::Add(sum, hn::Mul(z, hn::Set(d, factors[r])));
    }
    hn::StoreU(sum, d, out + k);
  }
  for (; k < count; ++k) {
    for (std::size_t r = 0; r < kRows; ++r) {
      out[k] += static_cast<double>(rows[r * stride + k]) * factors[r];
    }
  }
}

template <typename T>
HWY_INLINE void add_rows_impl(const T* HWY_RESTRICT rows, std::size_t count,
                              std::size_t cols, std::size_t stride,
                              const double* HWY_RESTRICT factors,
                              double* HWY_RESTRICT out) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    add_some<4>(rows + i * stride, stride, factors + i, cols, out);
  }
  for (; i < count; ++i) {
    add_some<1>(rows + i * stride, stride, factors + i, cols, out);
  }
}

void row_dots_float(const float* rows, std::size_t count, std::size_t cols,
                    std::size_t stride, const double* x, double* out) {
  row_dots_impl(rows, count, cols, stride, x, out);
}
void row_dots_double(const double* rows, std::size_t count, std::size_t cols,
                     std::size_t stride, const double* x, double* out) {
  row_dots_impl(rows, count, cols, stride, x, out);
}
void add_rows_float(const float* rows, std::size_t count, std::size_t cols,
                    std::size_t stride, const double* factors, double* out) {
  add_rows_impl(rows, count, cols, stride, factors, out);
}
void add_rows_double(const double* rows, std::size_t count, std::size_t cols,
                     std::size_t stride, const double* factors, double* out) {
  add_rows_impl(rows, count, cols, stride, factors, out);
}

// Gathers one coordinate of several rows at a time.
template <typename T>
HWY_INLINE void pack_rows_impl(const T* HWY_RESTRICT rows, std::size_t count,
                               std::size_t cols, std::size_t stride,
                               const T* HWY_RESTRICT factors, std::size_t width,
                               std::size_t dim, T* HWY_RESTRICT packed) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t first = 0; first < width; first += lanes) {
    // Lanes without a row read the last one and are zeroed by their factor.
    HWY_ALIGN Index places[hn::MaxLanes(d)];
    HWY_ALIGN T scales[hn::MaxLanes(d)];
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t row = HWY_MIN(first + l, count - 1);
      places[l] = static_cast<Index>(row * stride);
      scales[l] = first + l < count ? factors[first + l] : T(0);
    }
    const auto index = hn::Load(di, places);
    const auto factor = hn::Load(d, scales);
    for (std::size_t k = 0; k < cols; ++k) {
      const auto values = hn::GatherIndex(d, rows + k, index);
      hn::StoreU(hn::Mul(values, factor), d, packed + k * width + first);
    }
    for (std::size_t k = cols; k < dim; ++k) {
      hn::StoreU(hn::Zero(d), d, packed + k * width + first);
    }
  }
}

void pack_rows_float(const float* rows, std::size_t count, std::size_t cols,
                     std::size_t stride, const float* factors,
                     std::size_t width, std::size_t dim, float* packed) {
  pack_rows_impl(rows, count, cols, stride, factors, width, dim, packed);
}
void pack_rows_double(const double* rows, std::size_t count, std::size_t cols,
                      std::size_t stride, const double* factors,
                      std::size_t width, std::size_t dim, double* packed) {
  pack_rows_impl(rows, count, cols, stride, factors, width, dim, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(squared_norm_float);
HWY_EXPORT(row_dots_float);
HWY_EXPORT(row_dots_double);
HWY_EXPORT(add_rows_float);
HWY_EXPORT(add_rows_double);
HWY_EXPORT(pack_rows_float);
HWY_EXPORT(pack_rows_double);

double squared_norm(std::span<const float> row) {
  return HWY_DYNAMIC_DISPATCH(squared_norm_float)(row.data(), row.size());
}
double squared_norm(std::span<const double> row) {
  return inner_product<double, double>(row, row);
}
void row_dots(MatrixView<const float> rows, std::span<const double> x,
              std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(row_dots_float)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), x.data(),
   out.data());
}
void row_dots(MatrixView<const double> rows, std::span<const double> x,
              std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(row_dots_double)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), x.data(),
   out.data());
}
void add_rows(MatrixView<const float> rows, std::span<const double> factors,
              std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(add_rows_float)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), factors.data(),
   out.data());
}
void add_rows(MatrixView<const double> rows, std::span<const double> factors,
              std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(add_rows_double)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), factors.data(),
   out.data());
}
void pack_rows(MatrixView<const float> rows, std::span<const float> factors,
               std::size_t width, std::size_t dim, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_rows_float)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), factors.data(),
   width, dim, packed);
}
void pack_rows(MatrixView<const double> rows, std::span<const double> factors,
               std::size_t width, std::size_t dim, double* packed) {
  HWY_DYNAMIC_DISPATCH(pack_rows_double)
  (rows.data(), rows.rows(), rows.cols(), rows.row_stride(), factors.data(),
   width, dim, packed);
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
