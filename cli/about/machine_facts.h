// SPDX-License-Identifier: Apache-2.0
// What this process may use of the machine: CPUs, memory, room on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sbog::cli {

/// Unknown figures are empty; nothing here throws.
struct MachineFacts {
  std::string cpu;            ///< as the maker calls it
  std::size_t cpu_count = 1;  ///< that the affinity mask allows
  std::optional<double>
      cpu_quota;  ///< CPUs' worth of time that a cgroup allows
  std::optional<std::uint64_t> memory_total;      ///< bytes
  std::optional<std::uint64_t> memory_available;  ///< bytes
  std::optional<std::uint64_t> memory_limit;      ///< of a cgroup, bytes
  std::optional<std::uint64_t> disk_available;    ///< current folder, bytes
};

MachineFacts machine_facts();

/// Threads that can run at the same time: the mask, cut to the quota rounded
/// up; at least 1.
std::size_t usable_threads(const MachineFacts& machine);

/// CPUs of a cgroup's "cpu.max", such as "150000 100000"; empty for "max" and
/// for what is not understood.
std::optional<double> parse_cpu_quota(const std::string& text);

/// Bytes of a line such as "MemAvailable:  123 kB" in the text of
/// /proc/meminfo.
std::optional<std::uint64_t> parse_memory(const std::string& text,
                                          const std::string& name);

/// "512 MB", "3.2 GB"; powers of ten.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace sbog::cli
