// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint: plain tables stay hidden while scripts replace
// them.
document.documentElement.classList.add("script", "pending");
