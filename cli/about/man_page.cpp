// SPDX-License-Identifier: Apache-2.0
// sbog man: the man page, made from the tree of commands.
#include <cstdio>
#include <sstream>

#include "about/build_facts.h"
#include "about/command_tree.h"
#include "command.h"

namespace sbog::cli {
namespace {

/// Text that roff takes as it is: no escape, no request, no hyphen for a minus.
std::string plain(const std::string& text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string option_entry(const OptionFacts& option) {
  std::string head;
  for (const std::string& name : option.names) {
    head += (head.empty() ? "" : ", ") + bold(name);
  }
  if (!option.positional.empty()) head = italic(option.positional);
  if (!option.value.empty() && option.positional.empty()) {
    head += " " + italic(option.value);
  }
  std::string notes;
  const auto note = [&](const std::string& text) {
    notes += (notes.empty() ? "" : "; ") + text;
  };
  if (option.is_required) note("required");
  if (!option.choices.empty()) {
    std::string list;
    for (const std::string& choice : option.choices) {
      list += (list.empty() ? "" : ", ") + bold(choice);
    }
    note("one of " + list);
  }
  if (!option.default_text.empty()) {
    note("default " + plain(option.default_text));
  }
  return ".TP\n" + head + "\n" + plain(option.description) + "." +
         (notes.empty() ? "" : "\n(" + notes + ")") + "\n";
}

std::string usage_of(const CommandFacts& command) {
  std::string usage = bold(command.name) + " [" + italic("options") + "]";
  for (const OptionFacts& option : command.options) {
    if (option.positional.empty()) continue;
    const std::string name = italic(option.positional);
    usage += option.is_required ? " " + name : " [" + name + "]";
  }
  return command.commands.empty() ? usage : usage + " " + italic("command");
}

/// Footers hold examples, indented, one to a line.
std::string verbatim(const std::string& text) {
  return ".PP\n.nf\n" + plain(text) + (text.ends_with('\n') ? "" : "\n") +
         ".fi\n";
}

std::string without_blank_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') != std::string::npos) kept += line + "\n";
  }
  return kept;
}

std::string section_of(const CommandFacts& command) {
  std::string text = ".SS " + plain("\"" + command.name + "\"") + "\n" +
                     plain(command.description) + ".\n.PP\n" +
                     usage_of(command) + "\n";
  for (const OptionFacts& option : command.options) {
    text += option_entry(option);
  }
  const std::string footer = without_blank_lines(command.footer);
  return footer.empty() ? text : text + verbatim(footer);
}

/// sbog(1) in the man macros of roff. It has no date: the same options give
/// the same bytes.
std::string man_page(const CommandFacts& root, const std::string& version) {
  std::string text = ".\\\" Made by `sbog man`.\n.TH SBOG 1 \"\" " +
                     plain("\"sbog " + version + "\"") +
                     " \"User Commands\"\n.SH NAME\nsbog \\- structured "
                     "outliers by the Sinkhorn outlier energy\n"
                     ".SH SYNOPSIS\n" +
                     bold("sbog") + " [" + italic("options") + "] " +
                     italic("command") + " ...\n.SH DESCRIPTION\n" +
                     plain(root.description) +
                     "\n.SH OPTIONS\nThese may also stand after the command.\n";
  for (const OptionFacts& option : root.options) text += option_entry(option);
  text += ".SH COMMANDS\n";
  for (const CommandFacts* command : all_commands(root)) {
    if (command != &root) text += section_of(*command);
  }
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n0\nDone.\n"
         ".TP\n1\nDone, but an asked\\-for outcome was not reached.\n"
         ".TP\n2\nWrong use.\n"
         ".TP\n3\nA file that cannot be read or written.\n"
         ".TP\n130, 143\nStopped by Ctrl-C or by SIGTERM.\n";
}

}  // namespace

Command man_command() {
  return {"man",
          "The man page, every command and option of it",
          "  sbog man\n"
          "  sbog man | tee sbog.1",
          "",
          {},
          [](const std::vector<Assignment>&, Session&) {
            const std::string page =
                man_page(describe_tool(), build_facts().version);
            std::fputs(page.c_str(), stdout);
            return int{kDone};
          }};
}

}  // namespace sbog::cli
