// SPDX-License-Identifier: Apache-2.0
// The kinds of input that a run can be made from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/option_table.h"

namespace sbog::job {

/// What an input holds.
enum class Kind {
  kAuto,  ///< to be found out
  kPoints,
  kSeries,
  kImages,
  kTable,  ///< points whose coordinates spell numbers and categories
};

/// "auto", "latent", "series", "image", "table".
const char* to_string(Kind kind);
/// The reverse, "points", "images" and "tables" as well; throws
/// InvalidArgument.
Kind parse_kind(std::string_view name);
std::vector<std::string> kind_names();
/// For tables of options; kForAll of kAuto.
OptionKinds option_kinds(Kind kind);
/// Throws InvalidArgument for an option that was given and is not for this
/// kind, where the kinds are told apart.
void refuse_foreign_options(std::span<const OptionInfo> options,
                            const GivenOptions& given, Kind kind);

/// Order of what a table settles when all options have been applied.
inline constexpr int kLastOrder = 1000;

/// Makes a table find out the kind of its options at the end and refuse those
/// of the other kind; with kAuto none. `kind_of` may write into the options.
template <typename Options, typename KindOf>
void settle_kind(OptionTable<Options>& table, KindOf kind_of) {
  // A name: GCC 12 takes the members of a nameless one for unset.
  const Options defaults;
  const std::vector<OptionInfo> infos = table.infos(defaults);
  table.settle(kLastOrder,
               [infos, kind_of](Options& options, const GivenOptions& given) {
                 refuse_foreign_options(infos, given, kind_of(options));
               });
}

}  // namespace sbog::job
