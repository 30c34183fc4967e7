// SPDX-License-Identifier: Apache-2.0
// Reads /proc, the affinity mask and the limits of cgroups (version 2 in all
// folders above, version 1 at its root).
#include "about/machine_facts.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "sbog/base/atomic_file.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;

/// Empty when there is no such file.
std::string text_of(const fs::path& path) {
  return read_file_if_there(path.string()).value_or("");
}

std::string cpu_name() {
  std::istringstream lines(text_of("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::size_t allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    return static_cast<std::size_t>(std::max(CPU_COUNT(&mask), 1));
  }
  return std::max(std::thread::hardware_concurrency(), 1U);  // over 1024 CPUs
}

/// The folders of this process in the tree of cgroups, the innermost first.
std::vector<fs::path> cgroup_folders() {
  const fs::path root = "/sys/fs/cgroup";
  std::vector<fs::path> folders;
  std::istringstream lines(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::/")) continue;
    for (fs::path inner = line.substr(4); !inner.empty();
         inner = inner.parent_path()) {
      folders.push_back(root / inner);
    }
  }
  folders.push_back(root);
  return folders;
}

std::optional<double> cgroup_quota() {
  std::optional<double> least;
  for (const fs::path& folder : cgroup_folders()) {
    const auto quota = parse_cpu_quota(text_of(folder / "cpu.max"));
    if (quota && (!least || *quota < *least)) least = quota;
  }
  if (least) return least;
  const fs::path old = "/sys/fs/cgroup/cpu";
  return parse_cpu_quota(text_of(old / "cpu.cfs_quota_us") + " " +
                         text_of(old / "cpu.cfs_period_us"));
}

std::optional<std::uint64_t> cgroup_memory() {
  std::optional<std::uint64_t> least;
  const auto take = [&](const fs::path& path) {
    std::istringstream text(text_of(path));
    std::uint64_t bytes = 0;
    // Version 1 says "no limit" by a number that no machine reaches.
    if (text >> bytes && bytes < (std::uint64_t{1} << 60) &&
        (!least || bytes < *least)) {
      least = bytes;
    }
  };
  for (const fs::path& folder : cgroup_folders()) take(folder / "memory.max");
  if (!least) take("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  return least;
}

}  // namespace

std::optional<double> parse_cpu_quota(const std::string& text) {
  std::istringstream in(text);
  double quota = 0.0;
  double period = 0.0;
  // "max", -1 (version 1) and an absent file: no limit.
  if (!(in >> quota >> period) || !(quota > 0.0) || !(period > 0.0)) return {};
  return quota / period;
}

std::optional<std::uint64_t> parse_memory(const std::string& text,
                                          const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    std::istringstream rest(line.substr(name.size() + 1));
    std::uint64_t kilobytes = 0;
    if (rest >> kilobytes) return kilobytes * 1024;
  }
  return {};
}

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.cpu = cpu_name();
  facts.cpu_count = allowed_cpus();
  facts.cpu_quota = cgroup_quota();
  const std::string memory = text_of("/proc/meminfo");
  facts.memory_total = parse_memory(memory, "MemTotal");
  facts.memory_available = parse_memory(memory, "MemAvailable");
  facts.memory_limit = cgroup_memory();
  std::error_code error;
  const fs::space_info space = fs::space(".", error);
  if (!error) facts.disk_available = space.available;
  return facts;
}

std::size_t usable_threads(const MachineFacts& machine) {
  if (!machine.cpu_quota) return machine.cpu_count;
  const double whole = std::ceil(*machine.cpu_quota);
  if (whole >= static_cast<double>(machine.cpu_count)) {
    return machine.cpu_count;
  }
  return std::max<std::size_t>(static_cast<std::size_t>(whole), 1);
}

std::string readable_bytes(std::uint64_t bytes) {
  char text[40];
  const auto value = static_cast<double>(bytes);
  if (value < 1e9) {
    std::snprintf(text, sizeof text, "%.0f MB", value / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.1f GB", value / 1e9);
  }
  return text;
}

}  // namespace sbog::cli
