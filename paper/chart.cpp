// SPDX-License-Identifier: Apache-2.0
// Pieces of Vega-Lite; see chart.h.
#include "paper/chart.h"

namespace sbog::paper {

Json channel(const std::string& field, const std::string& type,
             const std::string& title) {
  return {{"field", field}, {"type", type}, {"title", title}};
}

Json log_channel(const std::string& field, const std::string& title) {
  Json json = channel(field, "quantitative", title);
  json["scale"] = {{"type", "log"}};
  return json;
}

Json chart(const std::string& title, const Json& values, const Json& mark,
           const Json& encoding) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"title", title},
          {"data", {{"values", values}}},
          {"mark", mark},
          {"encoding", encoding}};
}

}  // namespace sbog::paper
