// SPDX-License-Identifier: Apache-2.0
// The forms of a table; see table.h.
#include "paper/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/run/run_json.h"

namespace sbog::paper {
namespace {

constexpr std::array<std::pair<Style, const char*>, 4> kStyles = {{
    {Style::kText, "text"},
    {Style::kFixed, "fixed"},
    {Style::kGeneral, "general"},
    {Style::kMeanSd, "mean-sd"},
}};

std::string print_number(const Json& value, const Column& column) {
  if (value.is_string()) return value.get<std::string>();  // an infinity
  std::array<char, 512> text{};
  const double x = value.get<double>();
  if (column.style == Style::kGeneral) {
    std::snprintf(text.data(), text.size(), "%.*g", column.digits, x);
  } else {
    std::snprintf(text.data(), text.size(), "%.*f", column.digits, x);
  }
  return text.data();
}

bool is_number(const Json& value) {
  return value.is_number() || value == "inf" || value == "-inf";
}

const char* style_name(Style style) {
  for (const auto& [known, name] : kStyles) {
    if (known == style) return name;
  }
  return "text";
}

Style parse_style(const std::string& name) {
  for (const auto& [style, known] : kStyles) {
    if (name == known) return style;
  }
  throw InvalidArgument("table: the style '" + name + "' is not known");
}

// All cells as text, the headings first.
std::vector<std::vector<std::string>> as_texts(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) {
    lines[0].push_back(heading(column));
  }
  for (const std::vector<Json>& row : table.rows) {
    if (row.size() != table.columns.size()) {
      throw InvalidArgument("table: a row has " + std::to_string(row.size()) +
                            " values, expected " +
                            std::to_string(table.columns.size()));
    }
    std::vector<std::string> line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.push_back(format_value(row[i], table.columns[i]));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// A bar would begin the next column.
std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell)
    text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

}  // namespace

Json number(double value) { return number_or_word(value); }

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

std::string heading(const Column& column) {
  return (column.source == Source::kPaper ? "paper: " : "") + column.name;
}

std::string format_value(const Json& value, const Column& column) {
  if (value.is_null()) return "-";
  if (column.style == Style::kText && value.is_string()) {
    return value.get<std::string>();
  }
  const bool is_one =
      column.style == Style::kFixed || column.style == Style::kGeneral;
  if (is_one && is_number(value)) return print_number(value, column);
  if (column.style == Style::kMeanSd && value.is_array() && value.size() == 2 &&
      is_number(value[0])) {
    std::string mean = print_number(value[0], column);
    if (value[1].is_null()) return mean;  // a single seed has no spread
    return mean + " (" + print_number(value[1], column) + ")";
  }
  throw InvalidArgument("table: " + value.dump() +
                        " does not fit the column '" + column.name + "'");
}

std::string to_text(const Table& table) {
  const auto lines = as_texts(table);
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string pad(widths[i] - line[i].size(), ' ');
      const bool is_left = table.columns[i].style == Style::kText;
      out += (i == 0 ? "" : "  ") + (is_left ? line[i] + pad : pad + line[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text;
  bool is_heading = true;
  for (const auto& line : as_texts(table)) {
    text += "|";
    for (const std::string& cell : line) text += " " + escaped(cell) + " |";
    text += "\n";
    if (!is_heading) continue;
    is_heading = false;
    text += "|";
    for (const Column& column : table.columns) {
      text += column.style == Style::kText ? "---|" : "---:|";
    }
    text += "\n";
  }
  return text;
}

Json to_json(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back(
        {{"name", column.name},
         {"source", column.source == Source::kPaper ? "paper" : "ours"},
         {"style", style_name(column.style)},
         {"digits", column.digits}});
  }
  return {{"columns", std::move(columns)}, {"rows", table.rows}};
}

Table table_from_json(const Json& json) {
  Table table;
  try {
    for (const Json& column : json.at("columns")) {
      table.columns.push_back(
          {column.at("name"), parse_style(column.at("style")),
           column.at("digits"),
           column.at("source") == "paper" ? Source::kPaper : Source::kOurs});
    }
    table.rows = json.at("rows").get<std::vector<std::vector<Json>>>();
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument(std::string("table: this is no table (") +
                          error.what() + ")");
  }
  return table;
}

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
