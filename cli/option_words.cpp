// SPDX-License-Identifier: Apache-2.0
// See option_words.h.
#include "option_words.h"

namespace sbog::cli {

std::string value_word(const OptionInfo& option) {
  if (!option.value_name.empty()) return option.value_name;
  switch (option.type) {
    case OptionType::kFlag:
      return "";
    case OptionType::kSwitch:
      return "true|false";
    case OptionType::kInteger:
      return "N";
    case OptionType::kNumber:
      return "X";
    case OptionType::kText:
      return option.choices.empty() ? "TEXT" : "NAME";
  }
  return "";
}

std::string option_notes(const OptionInfo& option) {
  std::string notes;
  for (const std::string& choice : option.choices) {
    notes += (notes.empty() ? " {" : ", ") + choice;
  }
  if (!notes.empty()) notes += "}";
  if (option.is_required) {
    if (!option.is_positional) notes += " (required)";
  } else if (!option.default_text.empty()) {
    notes += " (default: " + option.default_text + ")";
  }
  return notes;
}

}  // namespace sbog::cli
