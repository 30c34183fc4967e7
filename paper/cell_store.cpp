// SPDX-License-Identifier: Apache-2.0
// Reading and writing cell files; see cell_store.h.
#include "paper/cell_store.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"

namespace sbog::paper {

namespace fs = std::filesystem;

namespace {

// Fractions to six significant digits: tables print four at most.
Json rounded(const Json& value) {
  if (value.is_number_float()) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value.get<double>());
    return std::strtod(text, nullptr);
  }
  Json copy = value;
  if (value.is_structured()) {
    for (Json& part : copy) part = rounded(part);
  }
  return copy;
}

}  // namespace

std::string hash_of(const Json& json) {
  const std::string text = json.dump();
  return checksum_hex(
      checksum(std::as_bytes(std::span<const char>(text.data(), text.size()))));
}

CellStore::CellStore(const std::string& out, const std::string& experiment)
    : experiment_(experiment),
      folder_((fs::path(out) / "cells" / experiment).string()) {}

void CellStore::make_folder() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_)) {
    throw IoError(folder_, "the folder of finished cells cannot be made");
  }
}

std::string CellStore::path_of(const std::string& key) const {
  return (fs::path(folder_) / (key + ".json")).string();
}

std::optional<StoredResult> CellStore::load(const Cell& cell) const {
  const auto text = read_file_if_there(path_of(cell.key));
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  for (const char* field : {"experiment", "key", "configuration_hash", "commit",
                            "result", "result_hash"}) {
    if (!json.contains(field)) return std::nullopt;
  }
  const Json& result = json.at("result");
  const bool is_ours =
      json.at("experiment") == experiment_ && json.at("key") == cell.key &&
      json.at("configuration_hash") == hash_of(cell.configuration) &&
      json.at("commit").is_string();
  if (!is_ours || json.at("result_hash") != hash_of(result)) {
    return std::nullopt;
  }
  return StoredResult{result, json.at("commit").get<std::string>(),
                      json.value("seconds", Json())};
}

void CellStore::save(const Cell& cell, const Json& computed,
                     const std::string& commit, const Json& seconds) const {
  const Json result = rounded(computed);
  Json json = {{"experiment", experiment_},
               {"key", cell.key},
               {"configuration", cell.configuration},
               {"configuration_hash", hash_of(cell.configuration)},
               {"commit", commit},
               {"result", result},
               {"result_hash", hash_of(result)}};
  if (!seconds.is_null()) json["seconds"] = seconds;
  write_file_atomically(path_of(cell.key), json.dump(2) + "\n");
}

namespace {

bool is_of(const Json& held, const Cell& cell) {
  return held.is_object() && held.contains("result") &&
         held.contains("configuration") &&
         hash_of(held.at("configuration")) == hash_of(cell.configuration);
}

// Results of before name their commits once for all cells; empty where there
// is none to name.
std::string commit_of(const Json& held, const Json& result) {
  if (held.contains("commit")) {
    const Json& own = held.at("commit");
    return own.is_string() ? own.get<std::string>() : "";
  }
  std::string all;
  for (const Json& commit : result.value("cell_commits", Json::array())) {
    if (!commit.is_string()) return "";
    all += (all.empty() ? "" : " or ") + commit.get<std::string>();
  }
  return all;
}

}  // namespace

std::size_t take_over(const Json& result, const std::vector<Cell>& cells,
                      const CellStore& store) {
  const Json held = result.value("cells", Json::object());
  std::size_t taken = 0;
  for (const Cell& cell : cells) {
    const auto found = held.find(cell.key);
    if (found == held.end() || !is_of(*found, cell)) continue;
    const std::string commit = commit_of(*found, result);
    if (commit.empty() || store.load(cell)) continue;
    store.save(cell, found->at("result"), commit,
               found->value("seconds", Json()));
    ++taken;
  }
  return taken;
}

}  // namespace sbog::paper
