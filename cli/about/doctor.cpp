// SPDX-License-Identifier: Apache-2.0
// sbog doctor: what the tool finds on this machine, and whether it computes
// right here.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "about/build_facts.h"
#include "about/kernel_targets.h"
#include "about/machine_facts.h"
#include "about/self_check.h"
#include "command.h"
#include "json_output.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/energy_model.h"
#include "sbog/job/torch_library.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What became of loading the library that uses LibTorch.
struct TorchFacts {
  bool is_installed = false;
  std::string version;  ///< of LibTorch
  std::string fault;    ///< one sentence; empty: it loads, or is not there
};

TorchFacts try_torch_library() {
  TorchFacts facts;
  facts.is_installed = job::has_torch_library();
  if (!facts.is_installed) return facts;
  try {
    facts.version = job::torch_library("a job on images").version();
  } catch (const IoError& error) {
    facts.fault = error.what();
  }
  return facts;
}

/// All that is found out, before it is told in one form or the other.
struct Findings {
  BuildFacts build;
  std::vector<LibraryFact> libraries;
  std::vector<KernelTarget> targets;
  std::string used_target;
  MachineFacts machine;
  std::size_t asked_threads = 0;
  std::size_t threads = 1;  ///< that a job would have
  TorchFacts torch;
  std::vector<CheckResult> checks;

  std::size_t fault_count() const {
    const auto is_ill = [](const CheckResult& c) { return !c.is_well(); };
    return static_cast<std::size_t>(
               std::count_if(checks.begin(), checks.end(), is_ill)) +
           (torch.fault.empty() ? 0 : 1);
  }
};

Findings find_out(std::size_t asked_threads) {
  Findings found;
  found.build = build_facts();
  found.libraries = used_libraries();
  found.targets = kernel_targets();
  found.used_target = simd_target();
  found.machine = machine_facts();
  found.asked_threads = asked_threads;
  found.threads = ThreadPool(asked_threads).size();
  found.torch = try_torch_library();
  // One thread and several, even where there is a single CPU.
  const std::array<std::size_t, 2> threads = {
      1, std::max<std::size_t>(found.threads, 2)};
  found.checks = run_self_check(golden_checks(), found.targets, threads);
  return found;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Findings& found) {
  Json json;
  json["version"] = found.build.version;
  json["commit"] = found.build.commit;
  json["compiler"] = found.build.compiler;
  json["build"] = found.build.type;
  json["cpu"] = found.machine.cpu;
  json["kernel_target"] = found.used_target;
  for (const KernelTarget& target : found.targets) {
    json["kernel_targets"].push_back(
        {{"name", target.name}, {"is_supported", target.is_supported}});
  }
  json["threads"] = {{"asked", found.asked_threads},
                     {"used", found.threads},
                     {"usable", usable_threads(found.machine)},
                     {"affinity", found.machine.cpu_count},
                     {"quota", or_null(found.machine.cpu_quota)}};
  json["memory"] = {{"total", or_null(found.machine.memory_total)},
                    {"available", or_null(found.machine.memory_available)},
                    {"limit", or_null(found.machine.memory_limit)}};
  json["disk_available"] = or_null(found.machine.disk_available);
  for (const LibraryFact& library : found.libraries) {
    json["libraries"][library.name] = library.version;
  }
  json["libtorch"] = {{"is_installed", found.torch.is_installed},
                      {"version", found.torch.version},
                      {"fault", found.torch.fault}};
  for (const CheckResult& check : found.checks) {
    json["checks"].push_back({{"name", check.name},
                              {"is_well", check.is_well()},
                              {"value", check.value},
                              {"expected", check.expected},
                              {"tolerance", check.tolerance},
                              {"ways", check.ways},
                              {"fault", check.fault}});
  }
  json["is_well"] = found.fault_count() == 0;
  return json;
}

void print_fact(const char* name, const std::string& text) {
  std::printf("%-10s %s\n", name, text.c_str());
}

std::string threads_text(const Findings& found) {
  const MachineFacts& machine = found.machine;
  std::string text =
      std::to_string(found.threads) + " used (" +
      (found.asked_threads == 0
           ? "all asked for"
           : std::to_string(found.asked_threads) + " asked for") +
      "), " + std::to_string(machine.cpu_count) + " in the affinity mask";
  if (!machine.cpu_quota) return text + ", no limit by a cgroup";
  char quota[40];
  std::snprintf(quota, sizeof quota, "%.2f", *machine.cpu_quota);
  text += std::string(", ") + quota + " CPUs by the limit of a cgroup";
  const std::size_t usable = usable_threads(machine);
  if (found.threads > usable) {
    text += "; --threads " + std::to_string(usable) + " would be better";
  }
  return text;
}

std::string memory_text(const MachineFacts& machine) {
  const auto words = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? readable_bytes(*bytes) : std::string("unknown");
  };
  std::string text = words(machine.memory_available) + " available of " +
                     words(machine.memory_total);
  if (machine.memory_limit) {
    text += ", limit of a cgroup " + readable_bytes(*machine.memory_limit);
  }
  return text;
}

void print_facts(const Findings& found) {
  print_fact("sbog", found.build.version + ", commit " + found.build.commit +
                         ", " + found.build.compiler + ", " + found.build.type);
  print_fact("cpu", found.machine.cpu);
  std::string targets;
  for (const KernelTarget& target : found.targets) {
    targets += (targets.empty() ? "" : ", ") + target.name +
               (target.is_supported ? "" : " (not on this CPU)");
  }
  print_fact("kernels", found.used_target + " used; there are " + targets);
  print_fact("threads", threads_text(found));
  print_fact("memory", memory_text(found.machine));
  print_fact("disk", (found.machine.disk_available
                          ? readable_bytes(*found.machine.disk_available)
                          : "unknown") +
                         " free in this folder");
  for (const LibraryFact& library : found.libraries) {
    print_fact("library", library.name + " " + library.version);
  }
  print_fact(
      "LibTorch",
      !found.torch.is_installed
          ? std::string(job::kTorchLibraryFile) +
                " is not installed: no jobs on images, no decoder vae"
          : (found.torch.fault.empty() ? found.torch.version + ", " +
                                             job::kTorchLibraryFile + " loads"
                                       : "FAILED: " + found.torch.fault));
}

void print_checks(const Findings& found) {
  for (const CheckResult& check : found.checks) {
    std::printf("%-10s %-32s %.15g%s", check.is_well() ? "ok" : "FAILED",
                check.name.c_str(), check.value,
                check.is_well() ? "" : (", " + check.fault).c_str());
    std::printf(check.is_well() ? " (%zu ways)\n" : "\n", check.ways);
  }
  const std::size_t faults = found.fault_count();
  if (faults == 0) {
    std::printf(
        "all is well: %zu known numbers on every kernel target, for 1 "
        "and for more threads\n",
        found.checks.size());
    return;
  }
  std::printf(
      "%zu of %zu checks failed: do not trust what this build computes on this "
      "machine; build it here from clean sources, and if that does not help, "
      "report what is printed above\n",
      faults, found.checks.size() + (found.torch.is_installed ? 1 : 0));
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "What sbog finds on this machine, and whether it computes right",
          "  sbog doctor\n"
          "  sbog doctor --json",
          "",
          {},
          [](const std::vector<Assignment>&, Session& session) {
            const Findings found = find_out(session.threads());
            if (session.is_json()) {
              print_json(to_json(found));
            } else {
              print_facts(found);
              print_checks(found);
            }
            return int{found.fault_count() == 0 ? kDone : kNotReached};
          }};
}

}  // namespace sbog::cli
