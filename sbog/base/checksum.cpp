// SPDX-License-Identifier: Apache-2.0
// XXH3 by libxxhash.
#include "sbog/base/checksum.h"

#include <xxhash.h>

#include <new>

namespace sbog {

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Checksum::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

void Checksum::update(const void* data, std::size_t size) {
  if (size != 0) XXH3_64bits_update(state_.get(), data, size);
}

std::uint64_t Checksum::digest() const {
  return XXH3_64bits_digest(state_.get());
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string checksum_hex(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[15 - i] = kDigits[value & 15];
    value >>= 4;
  }
  return text;
}

}  // namespace sbog
