// SPDX-License-Identifier: Apache-2.0
// The merge tree of energy_state.h.
#include "sbog/energy/energy_state.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog {

EnergyState::EnergyState(std::size_t query_count, std::size_t first_block,
                         std::vector<StateNode> spare)
    : query_count_(query_count),
      first_block_(first_block),
      spare_(std::move(spare)) {}

std::size_t EnergyState::end_block() const {
  return nodes_.empty() ? first_block_ : nodes_.back().end_block();
}

StateNode EnergyState::next_block() {
  StateNode node;
  if (!spare_.empty()) {
    node = std::move(spare_.back());
    spare_.pop_back();
  }
  node.max.resize(query_count_);
  node.sum.resize(query_count_);
  node.mass.resize(query_count_);
  node.first_block = end_block();
  node.level = 0;
  return node;
}

void EnergyState::append(StateNode node) {
  if (node.first_block != end_block() || node.max.size() != query_count_ ||
      node.sum.size() != query_count_ || node.mass.size() != query_count_) {
    throw InvalidArgument("EnergyState: a node at block " +
                          std::to_string(node.first_block) +
                          " does not continue a state that ends at block " +
                          std::to_string(end_block()));
  }
  nodes_.push_back(std::move(node));
  while (nodes_.size() >= 2) {
    const StateNode& left = nodes_[nodes_.size() - 2];
    const StateNode& right = nodes_.back();
    const std::size_t parent = std::size_t{2} << left.level;
    if (left.level != right.level || left.first_block % parent != 0) break;
    merge_last_two();
  }
}

void EnergyState::merge_last_two() {
  StateNode right = std::move(nodes_.back());
  nodes_.pop_back();
  StateNode& left = nodes_.back();
  detail::merge_states(query_count_, left.max.data(), left.sum.data(),
                       right.max.data(), right.sum.data());
  for (std::size_t q = 0; q < query_count_; ++q) left.mass[q] += right.mass[q];
  ++left.level;
  spare_.push_back(std::move(right));
}

void EnergyState::append(EnergyState next) {
  if (next.query_count_ != query_count_ || next.first_block_ != end_block()) {
    throw InvalidArgument("EnergyState: blocks from " +
                          std::to_string(next.first_block_) +
                          " do not continue a state that ends at block " +
                          std::to_string(end_block()));
  }
  for (StateNode& node : next.nodes_) append(std::move(node));
}

std::vector<StateNode> EnergyState::take_spare() {
  return std::exchange(spare_, {});
}

std::vector<LogSumExp> EnergyState::fold() const {
  std::vector<LogSumExp> result(query_count_);
  if (nodes_.empty()) return result;
  StateNode whole = nodes_.front();
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const StateNode& node = nodes_[i];
    detail::merge_states(query_count_, whole.max.data(), whole.sum.data(),
                         node.max.data(), node.sum.data());
    for (std::size_t q = 0; q < query_count_; ++q)
      whole.mass[q] += node.mass[q];
  }
  for (std::size_t q = 0; q < query_count_; ++q) {
    result[q] = {whole.max[q], whole.sum[q], whole.mass[q]};
  }
  return result;
}

}  // namespace sbog
