// SPDX-License-Identifier: Apache-2.0
// One table per struct of options: name, member, help, kinds and level of each
// option, written once. Command line, TOML, JSON, completion, man page, the
// reference of the commands and other languages are made from it.
//
// A value travels as text, or as several texts for a list: every source of
// options (words of a command line, a file, keywords) can give that.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sbog/base/option_text.h"

namespace sbog {

/// Who needs an option: everybody, or those who look for it.
enum class OptionLevel { kBasic, kAdvanced };

/// What the texts of an option stand for.
enum class OptionType { kFlag, kSwitch, kInteger, kNumber, kText };

/// Kinds of input that an option applies to, added up.
using OptionKinds = unsigned;
inline constexpr OptionKinds kForPoints = 1;
inline constexpr OptionKinds kForSeries = 2;
inline constexpr OptionKinds kForImages = 4;
/// A table is points as well, with options of its own.
inline constexpr OptionKinds kForTables = 8;
inline constexpr OptionKinds kForAll = kForPoints | kForSeries | kForImages;

/// Everything about an option but the member behind it.
struct OptionInfo {
  std::string name;  ///< `anchor_count`; `--anchor-count` on a command line
  std::string help;  ///< a sentence: noun first, then unit
  OptionType type = OptionType::kText;
  bool is_list = false;
  std::string stage;  ///< heading under which it is listed
  OptionLevel level = OptionLevel::kAdvanced;
  OptionKinds kinds = kForAll;
  std::string value_name;                ///< such as FILE; empty: by the type
  std::vector<std::string> choices;      ///< the values it takes, where few
  std::vector<std::string> other_names;  ///< further names that are accepted
  bool is_positional = false;
  bool is_required = false;
  bool is_output = false;  ///< names a file or folder that is written
  /// Options are applied in this order, so that a profile comes before what
  /// overrides it.
  int order = 100;
  /// What it is when not given; empty: nothing.
  std::string default_text;
};

/// `--anchor-count` of `anchor_count`; an argument without a name in capitals.
std::string command_line_name(const OptionInfo& option);
/// `anchor-count`, as in a TOML file.
std::string dashed(std::string_view name);
/// `anchor_count` of `--anchor-count`, `anchor-count` or itself.
std::string undashed(std::string_view name);

/// One option given by somebody.
struct Assignment {
  std::string name;                 ///< as in the table
  std::vector<std::string> values;  ///< one but for lists
  std::string spelling;             ///< as the giver knows it, for messages
};

/// Names of the options that were given, each with its spelling.
using GivenOptions = std::map<std::string, std::string, std::less<>>;

namespace option_text {

template <typename V>
constexpr OptionType type_of() {
  if constexpr (std::same_as<V, bool>) return OptionType::kSwitch;
  if constexpr (std::same_as<V, double>) return OptionType::kNumber;
  if constexpr (std::same_as<V, std::uint64_t>) return OptionType::kInteger;
  return OptionType::kText;
}

}  // namespace option_text

/// Throws InvalidArgument that names what is expected, and the nearest name,
/// unless the text is one of the choices.
void check_choice(const OptionInfo& option, std::string_view text);

/// An option of a table with access to its member. Made by OptionTable::add,
/// refined by the chain of calls after it.
template <typename Options>
class OptionEntry {
 public:
  using Set = std::function<void(Options&, std::span<const std::string>)>;
  /// The texts of the value; nothing when it is not set.
  using Get =
      std::function<std::optional<std::vector<std::string>>(const Options&)>;

  OptionEntry(OptionInfo info, Set set, Get get)
      : info_(std::move(info)), set_(std::move(set)), get_(std::move(get)) {}

  OptionEntry& basic() {
    info_.level = OptionLevel::kBasic;
    return *this;
  }
  OptionEntry& kinds(OptionKinds kinds) {
    info_.kinds = kinds;
    return *this;
  }
  OptionEntry& value(std::string name) {
    info_.value_name = std::move(name);
    return *this;
  }
  OptionEntry& also(std::string name) {
    info_.other_names.push_back(std::move(name));
    return *this;
  }
  /// Another word for a value, such as one of before.
  OptionEntry& reads(std::string word, std::string value) {
    other_words_[std::move(word)] = std::move(value);
    return *this;
  }
  /// A switch that is turned on by being named.
  OptionEntry& flag() {
    info_.type = OptionType::kFlag;
    return *this;
  }
  OptionEntry& positional() {
    info_.is_positional = true;
    return basic().required();
  }
  OptionEntry& writes() {
    info_.is_output = true;
    return *this;
  }
  OptionEntry& required() {
    info_.is_required = true;
    return *this;
  }
  /// A positional argument that may be left out.
  OptionEntry& optional() {
    info_.is_required = false;
    return *this;
  }
  OptionEntry& order(int order) {
    info_.order = order;
    return *this;
  }
  /// What the help says about a default that no member shows.
  OptionEntry& without(std::string words) {
    info_.default_text = std::move(words);
    return *this;
  }
  /// The only texts that are taken.
  OptionEntry& choices(std::vector<std::string> names) {
    info_.choices = std::move(names);
    checks_choices_ = true;
    return *this;
  }

  const OptionInfo& info() const { return info_; }
  OptionInfo& info() { return info_; }
  /// Throws InvalidArgument for a value that is not taken.
  void set(Options& options, std::span<const std::string> values) const {
    std::vector<std::string> texts(values.begin(), values.end());
    for (std::string& text : texts) {
      const auto other = other_words_.find(text);
      if (other != other_words_.end()) text = other->second;
      if (checks_choices_) check_choice(info_, text);
    }
    set_(options, texts);
  }
  std::optional<std::vector<std::string>> get(const Options& options) const {
    return get_(options);
  }

 private:
  OptionInfo info_;
  Set set_;
  Get get_;
  std::map<std::string, std::string> other_words_;
  bool checks_choices_ = false;  // an enumeration does it in its parser
};

/// An option tied to one struct, without the type of the struct.
struct BoundOption {
  OptionInfo info;
  std::optional<std::vector<std::string>> values;  ///< nothing: not set
};

/// The name most like `word`; empty when none is near.
std::string nearest_name(std::string_view word,
                         std::span<const std::string> names);
/// Throws InvalidArgument for an option that the table does not have, with the
/// nearest name.
[[noreturn]] void refuse_option(const Assignment& given,
                                std::span<const OptionInfo> known);
/// Begins the message of an InvalidArgument with the spelling.
[[noreturn]] void throw_for(const std::string& spelling, const char* message);

/// See the top of the file.
template <typename Options>
class OptionTable {
 public:
  /// Called once all options up to an order are applied, for defaults that
  /// follow from them.
  using Settle = std::function<void(Options&, const GivenOptions&)>;

  /// Options that follow are listed under this heading.
  OptionTable& stage(std::string name) {
    stage_ = std::move(name);
    return *this;
  }

  /// An option behind `access`: a pointer to a member, or a function from
  /// Options& to a reference. The member is a bool, std::uint64_t, double or
  /// std::string, an optional of one, or a vector of them.
  template <typename Access>
  OptionEntry<Options>& add(std::string name, Access access, std::string help) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Access, Options&>>;
    using Traits = option_text::Traits<Value>;
    using Element = typename Traits::Element;
    OptionInfo info = begin(std::move(name), std::move(help));
    info.type = option_text::type_of<Element>();
    info.is_list = Traits::kIsList;
    auto set = [access](Options& options, std::span<const std::string> texts) {
      Value& value = std::invoke(access, options);
      if constexpr (Traits::kIsList) {
        value.clear();
        for (const std::string& text : texts) {
          Element element{};
          option_text::parse(text, element);
          value.push_back(std::move(element));
        }
      } else {
        Element element{};
        option_text::parse(option_text::only(texts), element);
        value = std::move(element);
      }
    };
    auto get =
        [access](
            const Options& options) -> std::optional<std::vector<std::string>> {
      // `access` gives a reference to write to; nothing is written here.
      const Value& value = std::invoke(access, const_cast<Options&>(options));
      if constexpr (Traits::kIsList) {
        std::vector<std::string> texts;
        for (const Element& element : value) {
          texts.push_back(option_text::print(element));
        }
        return texts.empty() ? std::nullopt : std::optional(texts);
      } else if constexpr (Traits::kIsOptional) {
        if (!value) return std::nullopt;
        return std::vector{option_text::print(*value)};
      } else if constexpr (std::same_as<Element, std::string>) {
        if (value.empty()) return std::nullopt;
        return std::vector{value};
      } else {
        return std::vector{option_text::print(value)};
      }
    };
    return append(std::move(info), std::move(set), std::move(get));
  }

  /// An enumeration behind `access`, with its names and both translations.
  template <typename Access, typename Parse, typename Print>
  OptionEntry<Options>& add_enum(std::string name, Access access, Parse parse,
                                 Print print, std::vector<std::string> names,
                                 std::string help) {
    OptionInfo info = begin(std::move(name), std::move(help));
    info.choices = std::move(names);
    info.value_name = "NAME";
    auto set = [access, parse](Options& options,
                               std::span<const std::string> texts) {
      std::invoke(access, options) = parse(option_text::only(texts));
    };
    auto get = [access, print](const Options& options) {
      return std::optional(std::vector<std::string>{std::string(
          print(std::invoke(access, const_cast<Options&>(options))))});
    };
    OptionEntry<Options>& entry =
        append(std::move(info), std::move(set), std::move(get));
    return entry;
  }

  /// A value that `set` reads from a text and `get` prints, or nothing when it
  /// is not set.
  template <typename SetText, typename GetText>
  OptionEntry<Options>& add_text(std::string name, SetText set, GetText get,
                                 std::string help) {
    return append(
        begin(std::move(name), std::move(help)),
        [set](Options& options, std::span<const std::string> texts) {
          set(options, option_text::only(texts));
        },
        [get](
            const Options& options) -> std::optional<std::vector<std::string>> {
          const std::optional<std::string> text = get(options);
          if (!text) return std::nullopt;
          return std::vector{*text};
        });
  }

  /// The options of a part of the struct, such as those of a library's options
  /// within those of a job: all, or those of the given names.
  template <typename Part, typename Access>
  OptionTable& include(const OptionTable<Part>& part, Access access,
                       const std::set<std::string>& names = {}) {
    for (const OptionEntry<Part>& entry : part.entries()) {
      if (!names.empty() && !names.contains(entry.info().name)) continue;
      entries_.emplace_back(
          entry.info(),
          [entry, access](Options& options,
                          std::span<const std::string> texts) {
            entry.set(std::invoke(access, options), texts);
          },
          [entry, access](const Options& options) {
            return entry.get(
                std::invoke(access, const_cast<Options&>(options)));
          });
    }
    return *this;
  }

  /// See Settle.
  OptionTable& settle(int order, Settle settle) {
    settles_.emplace_back(order, std::move(settle));
    return *this;
  }

  const std::vector<OptionEntry<Options>>& entries() const { return entries_; }
  /// Null when there is none of that name.
  OptionEntry<Options>* find(std::string_view name) {
    for (OptionEntry<Options>& entry : entries_) {
      if (is_named(entry.info(), name)) return &entry;
    }
    return nullptr;
  }

  /// Options by the name of a profile.
  struct Profile {
    std::string name;
    Options options;
    OptionKinds kinds = kForAll;  ///< that it is a profile of
  };
  using Profiles = std::vector<Profile>;

  /// The options in the order of the table. Defaults are those of `options`,
  /// followed by those of the profiles that have others.
  std::vector<OptionInfo> infos(const Options& options = {},
                                const Profiles& profiles = {}) const {
    std::vector<OptionInfo> all;
    for (const OptionEntry<Options>& entry : entries_) {
      OptionInfo& info = all.emplace_back(entry.info());
      if (info.type == OptionType::kFlag || info.is_required) continue;
      const std::string usual = option_text::joined(entry.get(options));
      // Words stand for no value.
      if (!info.default_text.empty() && !usual.empty()) continue;
      if (info.default_text.empty()) info.default_text = usual;
      for (const Profile& profile : profiles) {
        if ((info.kinds & profile.kinds) == 0) continue;
        const std::string text =
            option_text::joined(entry.get(profile.options));
        if (text == usual) continue;
        info.default_text += (info.default_text.empty() ? "" : "; ") +
                             profile.name + " " +
                             (text.empty() ? "none" : text);
      }
    }
    return all;
  }

  /// The options with their values in `options`.
  std::vector<BoundOption> values(const Options& options) const {
    std::vector<BoundOption> all;
    for (const OptionEntry<Options>& entry : entries_) {
      all.push_back({entry.info(), entry.get(options)});
    }
    return all;
  }

  /// Options that are set to something else than at the start, in the order of
  /// the table.
  std::vector<OptionInfo> changed(const Options& options) const {
    const Options start;
    std::vector<OptionInfo> all;
    for (const OptionEntry<Options>& entry : entries_) {
      if (entry.get(options) != entry.get(start)) all.push_back(entry.info());
    }
    return all;
  }

  /// Applies what was given, in the order of the options; the last assignment
  /// to a name wins. Throws InvalidArgument for unknown names and wrong values.
  void apply(std::span<const Assignment> given, Options& options) const {
    GivenOptions names;
    for (const Assignment& assignment : given)
      names[name_of(assignment)] = assignment.spelling;
    std::set<int> orders;
    for (const auto& entry : entries_) orders.insert(entry.info().order);
    for (const auto& [order, settle] : settles_) orders.insert(order);
    for (const int order : orders) {
      for (const Assignment& assignment : given) {
        const OptionEntry<Options>& entry = entry_of(assignment);
        if (entry.info().order == order) apply(entry, assignment, options);
      }
      for (const auto& [when, settle] : settles_) {
        if (when == order) settle(options, names);
      }
    }
  }

  /// Throws InvalidArgument when an option that must be there is not set.
  void check_required(const Options& options) const {
    for (const OptionEntry<Options>& entry : entries_) {
      if (entry.info().is_required && !entry.get(options)) {
        throw_for(command_line_name(entry.info()), "is required");
      }
    }
  }

 private:
  OptionInfo begin(std::string name, std::string help) const {
    OptionInfo info;
    info.name = std::move(name);
    info.help = std::move(help);
    info.stage = stage_;
    return info;
  }

  OptionEntry<Options>& append(OptionInfo info,
                               typename OptionEntry<Options>::Set set,
                               typename OptionEntry<Options>::Get get) {
    return entries_.emplace_back(std::move(info), std::move(set),
                                 std::move(get));
  }

  static bool is_named(const OptionInfo& info, std::string_view name) {
    if (info.name == name) return true;
    for (const std::string& other : info.other_names) {
      if (other == name) return true;
    }
    return false;
  }

  const OptionEntry<Options>& entry_of(const Assignment& given) const {
    for (const OptionEntry<Options>& entry : entries_) {
      if (is_named(entry.info(), given.name)) return entry;
    }
    std::vector<OptionInfo> known;
    for (const auto& entry : entries_) known.push_back(entry.info());
    refuse_option(given, known);
  }

  std::string name_of(const Assignment& given) const {
    return entry_of(given).info().name;
  }

  static void apply(const OptionEntry<Options>& entry, const Assignment& given,
                    Options& options) {
    try {
      entry.set(options, given.values);
    } catch (const std::invalid_argument& error) {
      throw_for(given.spelling, error.what());
    }
  }

  std::string stage_;
  std::vector<OptionEntry<Options>> entries_;
  std::vector<std::pair<int, Settle>> settles_;
};

}  // namespace sbog
