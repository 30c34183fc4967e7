// SPDX-License-Identifier: Apache-2.0
// Highway implementation of tile_kernel.h.
//
// A tile is kTileRows atoms x kTileVectors vectors of queries, kept in
// registers while the dimension runs. Strips of kStripAtoms atoms are turned
// into logits in a buffer that stays in L1, then exponentiated and added.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/energy/detail/tile_kernel.cpp"
#include "sbog/energy/detail/tile_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/energy/detail/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
using Vec = hn::Vec<Tag<T>>;

// 24 accumulators fill 32 registers beside 3 query vectors and a broadcast; 12
// fill 16.
constexpr std::size_t kTileVectors = 3;
constexpr std::size_t kTileRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
constexpr std::size_t kStripAtoms = 32;
// Atoms whose exponentials are computed side by side.
constexpr std::size_t kTogether = 2;
constexpr std::size_t kOnlineTogether = 4;
// Float sums longer than this lose digits; the panel of one piece stays in L1.
constexpr std::size_t kDimPiece = 128;
constexpr std::size_t kMaxWidth = kTileVectors * hn::MaxLanes(Tag<float>());

template <TileForm kForm, class V>
HWY_INLINE V accumulate(V sum, V query, V atom) {
  if constexpr (kForm == TileForm::kDot) {
    return hn::MulAdd(query, atom, sum);
  } else {
    const V difference = hn::Sub(query, atom);
    return hn::MulAdd(difference, difference, sum);
  }
}

// Adds the dimensions [first, last) to tile[row][lane], or starts it.
template <TileForm kForm, std::size_t kVectors, typename T>
HWY_NOINLINE void add_piece(const T* const* HWY_RESTRICT rows,
                            const T* HWY_RESTRICT packed, std::size_t first,
                            std::size_t last, T* HWY_RESTRICT tile) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = kVectors * lanes;
  Vec<T> sums[kTileRows][kVectors];
  for (std::size_t r = 0; r < kTileRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const T* HWY_RESTRICT panel = packed + first * width;
  for (std::size_t k = first; k < last; ++k, panel += width) {
    Vec<T> query[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      query[v] = hn::Load(d, panel + v * lanes);
    }
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const Vec<T> atom = hn::Set(d, rows[r][k]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = accumulate<kForm>(sums[r][v], query[v], atom);
      }
    }
  }
  for (std::size_t r = 0; r < kTileRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      T* HWY_RESTRICT to = tile + r * width + v * lanes;
      hn::Store(first == 0 ? sums[r][v] : hn::Add(hn::Load(d, to), sums[r][v]),
                d, to);
    }
  }
}

// Raw tile values of one strip into buffer[atom][lane], dimension in pieces.
template <TileForm kForm, std::size_t kVectors, typename T>
HWY_INLINE void strip_values(const AtomBlock<T>& block,
                             const QueryGroup<T>& group, std::size_t strip,
                             T* HWY_RESTRICT buffer) {
  const std::size_t width = kVectors * hn::Lanes(Tag<T>());
  for (std::size_t first = 0; first < group.dim; first += kDimPiece) {
    const std::size_t last = HWY_MIN(first + kDimPiece, group.dim);
    for (std::size_t a = 0; a < kStripAtoms; a += kTileRows) {
      add_piece<kForm, kVectors>(block.rows + strip + a, group.packed, first,
                                 last, buffer + a * width);
    }
  }
}

template <TileForm kForm, class V>
HWY_INLINE V to_logit(V value, V scale, V bias) {
  if constexpr (kForm == TileForm::kDifference) value = hn::Sqrt(value);
  return hn::MulAdd(value, scale, bias);
}

// Turns raw values into logits in place.
template <TileForm kForm, std::size_t kVectors, typename T>
HWY_INLINE void values_to_logits(const AtomBlock<T>& block, std::size_t strip,
                                 T* HWY_RESTRICT buffer) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t a = 0; a < kStripAtoms; ++a) {
    const Vec<T> scale = hn::Set(d, block.scale[strip + a]);
    const Vec<T> bias = hn::Set(d, block.bias[strip + a]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      T* HWY_RESTRICT at = buffer + (a * kVectors + v) * lanes;
      hn::Store(to_logit<kForm>(hn::Load(d, at), scale, bias), d, at);
    }
  }
}

// Logits of one atom against all vectors of queries, for a few dimensions.
template <TileForm kForm, std::size_t kDim, std::size_t kVectors, typename T>
HWY_INLINE void direct_logits(const AtomBlock<T>& block, std::size_t atom,
                              const T* HWY_RESTRICT packed,
                              Vec<T>* HWY_RESTRICT logits) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const T* HWY_RESTRICT row = block.rows[atom];
  const Vec<T> bias = hn::Set(d, block.bias[atom]);
  for (std::size_t v = 0; v < kVectors; ++v) {
    logits[v] = kForm == TileForm::kDot ? bias : hn::Zero(d);
  }
  for (std::size_t k = 0; k < kDim; ++k) {
    const Vec<T> coordinate = hn::Set(d, row[k]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vec<T> query = hn::Load(d, packed + (k * kVectors + v) * lanes);
      logits[v] = accumulate<kForm>(logits[v], query, coordinate);
    }
  }
  if constexpr (kForm != TileForm::kDot) {
    const Vec<T> scale = hn::Set(d, block.scale[atom]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      logits[v] = to_logit<kForm>(logits[v], scale, bias);
    }
  }
}

// Logits of one strip into buffer[atom][lane], without the excluded atoms.
// kDim = 0: any dimension.
template <TileForm kForm, std::size_t kDim, std::size_t kVectors, typename T>
HWY_INLINE void strip_logits(const AtomBlock<T>& block,
                             const QueryGroup<T>& group, std::size_t strip,
                             T* HWY_RESTRICT buffer) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (kDim == 0) {
    strip_values<kForm, kVectors>(block, group, strip, buffer);
    values_to_logits<kForm, kVectors>(block, strip, buffer);
  } else {
    for (std::size_t a = 0; a < kStripAtoms; ++a) {
      Vec<T> logits[kVectors];
      direct_logits<kForm, kDim, kVectors>(block, strip + a, group.packed,
                                           logits);
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::Store(logits[v], d, buffer + (a * kVectors + v) * lanes);
      }
    }
  }
  for (const Exclusion& gone : group.exclusions) {
    if (gone.position - strip < kStripAtoms) {
      buffer[(gone.position - strip) * kVectors * lanes + gone.lane] =
          T(kAbsentLogit);
    }
  }
}

HWY_INLINE void add_promoted(Vec<float> value, double* HWY_RESTRICT sum) {
#if HWY_TARGET == HWY_SCALAR
  sum[0] += hn::GetLane(value);
#else
  const Tag<double> dd;
  const hn::Half<Tag<float>> half;
  const std::size_t lanes = hn::Lanes(dd);
  const auto low = hn::PromoteTo(dd, hn::LowerHalf(half, value));
  const auto high = hn::PromoteTo(dd, hn::UpperHalf(half, value));
  hn::StoreU(hn::Add(hn::LoadU(dd, sum), low), dd, sum);
  hn::StoreU(hn::Add(hn::LoadU(dd, sum + lanes), high), dd, sum + lanes);
#endif
}
HWY_INLINE void add_promoted(Vec<double> value, double* HWY_RESTRICT sum) {
  const Tag<double> dd;
  hn::StoreU(hn::Add(hn::LoadU(dd, sum), value), dd, sum);
}

// sum += 2^logit over one strip, logits from `logits_of(atom, out)`.
template <std::size_t kVectors, typename T, class LogitsOf>
HWY_INLINE void add_strip(const LogitsOf& logits_of, double* HWY_RESTRICT sum) {
  const Tag<T> d;
  Vec<T> total[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) total[v] = hn::Zero(d);
  for (std::size_t a = 0; a < kStripAtoms; a += kTogether) {
    Vec<T> terms[kTogether * kVectors];
    for (std::size_t i = 0; i < kTogether; ++i) {
      logits_of(a + i, terms + i * kVectors);
    }
    exp2<kTogether * kVectors, Underflow::kNever>(d, terms);
    for (std::size_t i = 0; i < kTogether * kVectors; ++i) {
      total[i % kVectors] = hn::Add(total[i % kVectors], terms[i]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    add_promoted(total[v], sum + v * hn::Lanes(d));
  }
}

// The strip of a block whose logits stay in a fixed range: no maximum needed.
// Values go straight from registers to the exponential where they can.
template <TileForm kForm, std::size_t kDim, std::size_t kVectors, typename T>
HWY_INLINE void add_strip_fixed(const AtomBlock<T>& block,
                                const QueryGroup<T>& group, std::size_t strip,
                                T* HWY_RESTRICT buffer,
                                double* HWY_RESTRICT sum) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  bool has_exclusion = false;
  for (const Exclusion& gone : group.exclusions) {
    has_exclusion |= gone.position - strip < kStripAtoms;
  }
  if (has_exclusion) {
    strip_logits<kForm, kDim, kVectors>(block, group, strip, buffer);
    const auto stored = [&](std::size_t a, Vec<T>* HWY_RESTRICT out) HWY_ATTR {
      for (std::size_t v = 0; v < kVectors; ++v) {
        out[v] = hn::Load(d, buffer + (a * kVectors + v) * lanes);
      }
    };
    add_strip<kVectors, T>(stored, sum);
  } else if constexpr (kDim == 0) {
    strip_values<kForm, kVectors>(block, group, strip, buffer);
    const auto scaled = [&](std::size_t a, Vec<T>* HWY_RESTRICT out) HWY_ATTR {
      const Vec<T> scale = hn::Set(d, block.scale[strip + a]);
      const Vec<T> bias = hn::Set(d, block.bias[strip + a]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vec<T> value = hn::Load(d, buffer + (a * kVectors + v) * lanes);
        out[v] = to_logit<kForm>(value, scale, bias);
      }
    };
    add_strip<kVectors, T>(scaled, sum);
  } else {
    const auto direct = [&](std::size_t a, Vec<T>* HWY_RESTRICT out) HWY_ATTR {
      direct_logits<kForm, kDim, kVectors>(block, strip + a, group.packed, out);
    };
    add_strip<kVectors, T>(direct, sum);
  }
}

// The same with a running maximum.
template <std::size_t kVectors, typename T>
HWY_INLINE void add_strip_online(const T* HWY_RESTRICT buffer,
                                 T* HWY_RESTRICT max,
                                 double* HWY_RESTRICT sum) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = kVectors * lanes;
  const Vec<T> absent = hn::Set(d, T(kAbsentLogit));
  for (std::size_t v = 0; v < kVectors; ++v) {
    const T* HWY_RESTRICT column = buffer + v * lanes;
    const Vec<T> old_max = hn::Load(d, max + v * lanes);
    Vec<T> new_max = old_max;
    for (std::size_t a = 0; a < kStripAtoms; ++a) {
      new_max = hn::Max(new_max, hn::Load(d, column + a * width));
    }
    Vec<T> total = hn::Zero(d);
    for (std::size_t a = 0; a < kStripAtoms; a += kOnlineTogether) {
      Vec<T> terms[kOnlineTogether];
      for (std::size_t i = 0; i < kOnlineTogether; ++i) {
        // An infinite cost arrives as -inf: inf - inf must not be formed.
        const Vec<T> x = hn::Max(hn::Load(d, column + (a + i) * width), absent);
        terms[i] = hn::Sub(x, new_max);
      }
      exp2<kOnlineTogether>(d, terms);
      for (std::size_t i = 0; i < kOnlineTogether; ++i) {
        total = hn::Add(total, terms[i]);
      }
    }
    hn::Store(new_max, d, max + v * lanes);
    HWY_ALIGN T factor[hn::MaxLanes(Tag<T>())];
    hn::Store(exp2(d, hn::Sub(old_max, new_max)), d, factor);
    double* HWY_RESTRICT lane_sum = sum + v * lanes;
    for (std::size_t l = 0; l < lanes; ++l) lane_sum[l] *= factor[l];
    add_promoted(total, lane_sum);
  }
}

template <TileForm kForm, std::size_t kDim, std::size_t kVectors, typename T>
void block_state_impl(const AtomBlock<T>& block, const QueryGroup<T>& group,
                      bool has_fixed_range, double* max, double* sum) {
  const std::size_t width = group.width;
  HWY_ALIGN T buffer[kStripAtoms * kMaxWidth];
  HWY_ALIGN T running_max[kMaxWidth];
  for (std::size_t l = 0; l < width; ++l) {
    // Above the absent logit, so that a strip without atoms adds exactly 0.
    running_max[l] = has_fixed_range ? T(0) : T(kAbsentLogit / 10);
    sum[l] = 0.0;
  }
  for (std::size_t strip = 0; strip < block.count; strip += kStripAtoms) {
    if (has_fixed_range) {
      add_strip_fixed<kForm, kDim, kVectors>(block, group, strip, buffer, sum);
    } else {
      strip_logits<kForm, kDim, kVectors>(block, group, strip, buffer);
      add_strip_online<kVectors>(buffer, running_max, sum);
    }
  }
  for (std::size_t l = 0; l < width; ++l) max[l] = running_max[l];
}

template <TileForm kForm, std::size_t kDim, std::size_t kVectors, typename T>
void block_logits_impl(const AtomBlock<T>& block, const QueryGroup<T>& group,
                       T* logits) {
  HWY_ALIGN T buffer[kStripAtoms * kMaxWidth];
  for (std::size_t strip = 0; strip < block.count; strip += kStripAtoms) {
    strip_logits<kForm, kDim, kVectors>(block, group, strip, buffer);
    const std::size_t atoms = HWY_MIN(kStripAtoms, block.count - strip);
    for (std::size_t i = 0; i < atoms * group.width; ++i) {
      logits[strip * group.width + i] = buffer[i];
    }
  }
}

// Calls body.template operator()<form, dim, vectors>() for run-time values. The
// direct kernels are worth their compile time for float states only.
template <bool kHasDirect, typename T, class Body>
void with_shape(TileForm form, const QueryGroup<T>& group, const Body& body) {
  const auto with_dim = [&]<TileForm kForm, std::size_t kVectors>() {
    if constexpr (kHasDirect) {
      static_assert(kDirectDim == 8);
      if (group.dim == 4) return body.template operator()<kForm, 4, kVectors>();
      if (group.dim == 8) return body.template operator()<kForm, 8, kVectors>();
    }
    return body.template operator()<kForm, 0, kVectors>();
  };
  const auto with_vectors = [&]<TileForm kForm>() {
    switch (group.width / hn::Lanes(Tag<T>())) {
      case 1:
        return with_dim.template operator()<kForm, 1>();
      default:
        return with_dim.template operator()<kForm, 3>();
    }
  };
  switch (form) {
    case TileForm::kDot:
      return with_vectors.template operator()<TileForm::kDot>();
    case TileForm::kSquaredDifference:
      return with_vectors.template operator()<TileForm::kSquaredDifference>();
    case TileForm::kDifference:
      return with_vectors.template operator()<TileForm::kDifference>();
  }
}

template <typename T>
void dispatch_state(const AtomBlock<T>& block, const QueryGroup<T>& group,
                    const TileOptions& options, double* max, double* sum) {
  with_shape<sizeof(T) == sizeof(float)>(
      options.form, group,
      [&]<TileForm kForm, std::size_t kDim, std::size_t kVectors>() {
        block_state_impl<kForm, kDim, kVectors>(
            block, group, options.has_fixed_range, max, sum);
      });
}
void state_float(const AtomBlock<float>& block, const QueryGroup<float>& group,
                 const TileOptions& options, double* max, double* sum) {
  dispatch_state(block, group, options, max, sum);
}
void state_double(const AtomBlock<double>& block,
                  const QueryGroup<double>& group, const TileOptions& options,
                  double* max, double* sum) {
  dispatch_state(block, group, options, max, sum);
}

template <typename T>
void dispatch_logits(const AtomBlock<T>& block, const QueryGroup<T>& group,
                     TileForm form, T* logits) {
  with_shape<false>(
      form, group,
      [&]<TileForm kForm, std::size_t kDim, std::size_t kVectors>() {
        block_logits_impl<kForm, kDim, kVectors>(block, group, logits);
      });
}
void logits_float(const AtomBlock<float>& block, const QueryGroup<float>& group,
                  TileForm form, float* logits) {
  dispatch_logits(block, group, form, logits);
}
void logits_double(const AtomBlock<double>& block,
                   const QueryGroup<double>& group, TileForm form,
                   double* logits) {
  dispatch_logits(block, group, form, logits);
}

void merge_states_simd(std::size_t count, double* max_a, double* sum_a,
                       const double* max_b, const double* sum_b) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto log2_e = hn::Set(d, 1.4426950408889634);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto ma = hn::LoadU(d, max_a + i);
    const auto mb = hn::LoadU(d, max_b + i);
    const auto m = hn::Max(ma, mb);
    const auto fa = exp2(d, hn::Mul(hn::Sub(ma, m), log2_e));
    const auto fb = exp2(d, hn::Mul(hn::Sub(mb, m), log2_e));
    const auto scaled = hn::Mul(hn::LoadU(d, sum_b + i), fb);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, sum_a + i), fa, scaled), d, sum_a + i);
    hn::StoreU(m, d, max_a + i);
  }
  if (i == count) return;
  // The rest through a padded copy, so that every element sees the same code.
  HWY_ALIGN double rest[4][8] = {};
  const std::size_t left = count - i;
  for (std::size_t j = 0; j < left; ++j) {
    rest[0][j] = max_a[i + j];
    rest[1][j] = sum_a[i + j];
    rest[2][j] = max_b[i + j];
    rest[3][j] = sum_b[i + j];
  }
  merge_states_simd(lanes, rest[0], rest[1], rest[2], rest[3]);
  for (std::size_t j = 0; j < left; ++j) {
    max_a[i + j] = rest[0][j];
    sum_a[i + j] = rest[1][j];
  }
}

std::size_t lanes_float() { return hn::Lanes(Tag<float>()); }
std::size_t lanes_double() { return hn::Lanes(Tag<double>()); }
const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(state_float);
HWY_EXPORT(state_double);
HWY_EXPORT(logits_float);
HWY_EXPORT(logits_double);
HWY_EXPORT(merge_states_simd);
HWY_EXPORT(lanes_float);
HWY_EXPORT(lanes_double);
HWY_EXPORT(target_name);

template <>
std::size_t lane_count<float>() {
  return HWY_DYNAMIC_DISPATCH(lanes_float)();
}
template <>
std::size_t lane_count<double>() {
  return HWY_DYNAMIC_DISPATCH(lanes_double)();
}
template <>
std::size_t group_width<float>() {
  return 3 * lane_count<float>();
}
template <>
std::size_t group_width<double>() {
  return 3 * lane_count<double>();
}
template <>
void block_state(const AtomBlock<float>& block, const QueryGroup<float>& group,
                 const TileOptions& options, double* max, double* sum) {
  HWY_DYNAMIC_DISPATCH(state_float)(block, group, options, max, sum);
}
template <>
void block_state(const AtomBlock<double>& block,
                 const QueryGroup<double>& group, const TileOptions& options,
                 double* max, double* sum) {
  HWY_DYNAMIC_DISPATCH(state_double)(block, group, options, max, sum);
}
template <>
void block_logits(const AtomBlock<float>& block, const QueryGroup<float>& group,
                  TileForm form, float* logits) {
  HWY_DYNAMIC_DISPATCH(logits_float)(block, group, form, logits);
}
template <>
void block_logits(const AtomBlock<double>& block,
                  const QueryGroup<double>& group, TileForm form,
                  double* logits) {
  HWY_DYNAMIC_DISPATCH(logits_double)(block, group, form, logits);
}
void merge_states(std::size_t count, double* max_a, double* sum_a,
                  const double* max_b, const double* sum_b) {
  HWY_DYNAMIC_DISPATCH(merge_states_simd)(count, max_a, sum_a, max_b, sum_b);
}
const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace sbog::detail
#endif  // HWY_ONCE
