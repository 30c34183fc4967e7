// SPDX-License-Identifier: Apache-2.0
// Limits of the machine, read from texts of the kernel.
#include "about/machine_facts.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace sbog::cli {
namespace machine_facts_test {

TEST(MachineFacts, a_quota_is_read_in_cpus) {
  EXPECT_EQ(parse_cpu_quota("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_quota("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_quota("-1\n 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_quota(" "), std::nullopt);
  EXPECT_EQ(parse_cpu_quota("100000 0"), std::nullopt);
}

TEST(MachineFacts, memory_is_read_in_bytes) {
  const std::string text = "MemTotal:  2000 kB\nMemAvailable:   1500 kB\n";
  EXPECT_EQ(parse_memory(text, "MemTotal"), 2000u * 1024u);
  EXPECT_EQ(parse_memory(text, "MemAvailable"), 1500u * 1024u);
  EXPECT_EQ(parse_memory(text, "Mem"), std::nullopt);
  EXPECT_EQ(parse_memory("MemTotal: much", "MemTotal"), std::nullopt);
}

TEST(MachineFacts, a_quota_is_rounded_up_and_never_adds_cpus) {
  MachineFacts machine;
  machine.cpu_count = 4;
  EXPECT_EQ(usable_threads(machine), 4u);
  machine.cpu_quota = 1.5;
  EXPECT_EQ(usable_threads(machine), 2u);
  machine.cpu_quota = 0.2;
  EXPECT_EQ(usable_threads(machine), 1u);
  machine.cpu_quota = 64.0;
  EXPECT_EQ(usable_threads(machine), 4u);
}

TEST(MachineFacts, bytes_are_readable) {
  EXPECT_EQ(readable_bytes(512'000'000), "512 MB");
  EXPECT_EQ(readable_bytes(3'240'000'000), "3.2 GB");
}

TEST(MachineFacts, the_affinity_mask_counts) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(machine_facts().cpu_count,
            static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before) != 0 && CPU_COUNT(&one) == 0) {
      CPU_SET(cpu, &one);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(machine_facts().cpu_count, 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(MachineFacts, this_machine_has_memory_and_a_disk) {
  const MachineFacts machine = machine_facts();
  EXPECT_NE(machine.cpu, "");
  EXPECT_GT(machine.memory_total.value_or(0), 0u);
  EXPECT_TRUE(machine.disk_available.has_value());
}

}  // namespace machine_facts_test
}  // namespace sbog::cli
