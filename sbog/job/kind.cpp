// SPDX-License-Identifier: Apache-2.0
// See kind.h.
#include "sbog/job/kind.h"

#include "sbog/base/errors.h"

namespace sbog::job {
namespace {

const char* words_of_refusal(OptionKinds kinds, Kind kind) {
  if (kind == Kind::kImages) return "not for images";
  switch (kinds) {
    case kForPoints:
      return "for points only";
    case kForSeries:
      return "for series only";
    case kForImages:
      return "for images only";
    case kForTables:
      return "for tables only";
    default:
      return kind == Kind::kPoints ? "not for points" : "not for series";
  }
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::kAuto:
      return "auto";
    case Kind::kPoints:
      return "latent";
    case Kind::kSeries:
      return "series";
    case Kind::kImages:
      return "image";
    case Kind::kTable:
      return "table";
  }
  return "auto";
}

Kind parse_kind(std::string_view name) {
  if (name == "points") return Kind::kPoints;
  if (name == "images") return Kind::kImages;
  if (name == "tables") return Kind::kTable;
  for (const Kind kind : {Kind::kAuto, Kind::kPoints, Kind::kSeries,
                          Kind::kImages, Kind::kTable}) {
    if (name == to_string(kind)) return kind;
  }
  throw InvalidArgument("latent, series, image or table is expected, got '" +
                        std::string(name) + "'");
}

std::vector<std::string> kind_names() {
  return {"latent", "series", "image", "table"};
}

OptionKinds option_kinds(Kind kind) {
  switch (kind) {
    case Kind::kAuto:
      return kForAll;
    case Kind::kPoints:
      return kForPoints;
    case Kind::kSeries:
      return kForSeries;
    case Kind::kImages:
      return kForImages;
    case Kind::kTable:
      return kForPoints | kForTables;
  }
  return kForAll;
}

void refuse_foreign_options(std::span<const OptionInfo> options,
                            const GivenOptions& given, Kind kind) {
  for (const OptionInfo& option : options) {
    const auto found = given.find(option.name);
    if (found == given.end() || (option.kinds & option_kinds(kind)) != 0) {
      continue;
    }
    throw InvalidArgument(found->second + ": this option is " +
                          words_of_refusal(option.kinds, kind));
  }
}

}  // namespace sbog::job
