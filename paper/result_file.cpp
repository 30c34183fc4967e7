// SPDX-License-Identifier: Apache-2.0
// Configurations once, and gzip; see result_file.h.
#include "paper/result_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace {

// Long fields, such as the options of samplers: an object or a list of them.
bool is_long(const Json& value) {
  return value.is_object() ||
         (value.is_array() && !value.empty() && value[0].is_object());
}

// Configurations of one likeness have the same fields in the same order, and
// their long fields are equal.
std::string likeness_of(const Json& configuration) {
  Json fields = Json::array();
  for (const auto& [name, value] : configuration.items()) {
    fields.push_back(name);
    if (is_long(value)) fields.push_back(value);
  }
  return fields.dump();
}

// The form on disk of a result in memory.
Json to_disk(const Json& result) {
  Json whole = Json::array();
  Json cells = Json::object();
  std::map<std::string, std::size_t> known;
  for (const auto& [key, cell] : result.at("cells").items()) {
    const Json& configuration = cell.at("configuration");
    const auto [found, is_new] =
        known.emplace(likeness_of(configuration), whole.size());
    if (is_new) whole.push_back(configuration);
    Json changes = Json::object();
    for (const auto& [name, value] : configuration.items()) {
      if (value != whole[found->second].at(name)) changes[name] = value;
    }
    Json written = {{"configuration", found->second}, {"changes", changes}};
    for (const auto& [name, value] : cell.items()) {
      if (name != "configuration") written[name] = value;
    }
    cells[key] = std::move(written);
  }
  Json disk = Json::object();
  for (const auto& [name, value] : result.items()) {
    if (name != "cells") {
      disk[name] = value;
    } else {  // their places
      disk["configurations"] = nullptr;
      disk["cells"] = nullptr;
    }
  }
  disk["configurations"] = std::move(whole);
  disk["cells"] = std::move(cells);
  return disk;
}

// The reverse; what has whole configurations stays as it is.
Json to_memory(Json disk) {
  if (!disk.contains("configurations")) return disk;
  const Json whole = disk.at("configurations");
  disk.erase("configurations");
  for (auto& [key, cell] : disk.at("cells").items()) {
    Json configuration = whole.at(cell.at("configuration").get<std::size_t>());
    for (const auto& [name, value] : cell.at("changes").items()) {
      configuration.at(name) = value;
    }
    cell["configuration"] = std::move(configuration);
    cell.erase("changes");
  }
  return disk;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // the largest window, in gzip's wrapping
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  // zlib reads through next_in but, without ZLIB_CONST, declares it mutable.
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

// A file with gzip's wrapping or without.
std::string read_text(const std::string& path) {
  const std::unique_ptr<gzFile_s, CloseGzip> file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) throw IoError(path, "cannot be opened");
  std::string text;
  std::array<char, 1 << 16> piece{};
  int count = 0;
  while ((count = gzread(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (count < 0 || (error != Z_OK && error != Z_STREAM_END)) {
    throw IoError(path, "the compressed data are damaged");
  }
  return text;
}

}  // namespace

std::string result_text(const Json& result) {
  const Json disk = to_disk(result);
  std::string text = "{";
  const char* comma = "\n";
  for (const auto& [name, value] : disk.items()) {
    text += comma + Json(name).dump() + ": ";
    comma = ",\n";
    const bool is_cells = name == "cells";
    if ((!is_cells && name != "configurations") || value.empty()) {
      text += value.dump();
      continue;
    }
    const char* between = is_cells ? "{\n" : "[\n";
    for (const auto& [key, line] : value.items()) {
      text += between + (is_cells ? Json(key).dump() + ": " : "") + line.dump();
      between = ",\n";
    }
    text += is_cells ? "\n}" : "\n]";
  }
  return text + "\n}\n";
}

void write_result(const std::string& out, const std::string& name,
                  const Json& result) {
  const auto path = std::filesystem::path(out) / (name + ".json.gz");
  write_file_atomically(path.string(), gzipped(result_text(result)));
}

Json read_result(const std::string& out, const std::string& name) {
  std::string path =
      (std::filesystem::path(out) / (name + ".json.gz")).string();
  if (!std::filesystem::exists(path)) path.resize(path.size() - 3);
  Json json = Json::parse(read_text(path), nullptr, false);
  if (!json.is_object() || !json.contains("table") || !json.contains("cells")) {
    throw IoError(path, "is no result of sbog-paper");
  }
  try {
    return to_memory(std::move(json));
  } catch (const Json::exception&) {
    throw IoError(path, "is no result of sbog-paper: its cells do not fit");
  }
}

}  // namespace sbog::paper
