// SPDX-License-Identifier: Apache-2.0
// A table of results: columns that say whose figures they hold, rows of JSON
// values, and its three forms: JSON, aligned text, Markdown. And charts:
// Vega-Lite v5 specifications with their data inside, so that a file opens by
// itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sbog::paper {

/// Keys stay in the order they were set, so files have the same bytes.
using Json = nlohmann::ordered_json;

/// Whose figures a column holds; the two are never mixed.
enum class Source {
  kOurs,   ///< computed here
  kPaper,  ///< printed in the paper
};

/// How a value is written.
enum class Style {
  kText,     ///< a string
  kFixed,    ///< `digits` decimals
  kGeneral,  ///< `digits` significant digits
  kMeanSd,   ///< [mean, s.d.], both with `digits` decimals
};

/// One column.
struct Column {
  std::string name;
  Style style = Style::kText;
  int digits = 0;
  Source source = Source::kOurs;
};

/// See the top of the file. A row has one value per column; null is "no value".
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Json>> rows;
};

/// A finite number as itself, an infinity as "inf" or "-inf", NaN as null.
Json number(double value);
/// The same; null without a value.
Json number(const std::optional<double>& value);

/// One value as it is printed; "-" for null. Throws InvalidArgument when the
/// value does not fit the style.
std::string format_value(const Json& value, const Column& column);

/// The heading of a column; one of the paper's begins with "paper: ".
std::string heading(const Column& column);

/// Aligned columns, a line per row.
std::string to_text(const Table& table);
std::string to_markdown(const Table& table);
Json to_json(const Table& table);
/// The reverse; throws InvalidArgument for what is no table.
Table table_from_json(const Json& json);

/// An encoding channel: field, type ("quantitative", "nominal", "ordinal") and
/// title.
Json channel(const std::string& field, const std::string& type,
             const std::string& title);
/// The same on a logarithmic axis.
Json log_channel(const std::string& field, const std::string& title);

/// A complete specification; `values` is an array of flat objects.
Json chart(const std::string& title, const Json& values, const Json& mark,
           const Json& encoding);

}  // namespace sbog::paper
