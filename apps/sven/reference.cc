// SPDX-License-Identifier: MIT
#include "reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "optimizer_flags.h"
#include "sven/base/suggest.h"
#include "sven/experiment/run_config.h"

namespace sven::cli {
namespace {

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// A command that only holds others is none itself.
bool IsGroup(const CLI::App& app) { return !Commands(app).empty(); }

// "sven list optimizers"
std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name()
                           : FullName(*parent) + " " + app.get_name();
}

std::string OptionName(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true);
  std::string text = fmt::format("--{}", option.get_lnames().front());
  if (!option.get_type_name().empty()) text += " " + option.get_type_name();
  return text;
}

// A text in a cell of a table.
std::string Cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

void AddOptions(const CLI::App& app, std::string& text) {
  for (const std::string& group : app.get_groups()) {
    const auto options = app.get_options([&](const CLI::Option* option) {
      return option->get_group() == group;
    });
    if (group.empty() || options.empty()) continue;
    text +=
        fmt::format("\n**{}**\n\n| option | meaning |\n| --- | --- |\n", group);
    for (const CLI::Option* option : options) {
      text += fmt::format("| `{}` | {} |\n", Cell(OptionName(*option)),
                          Cell(option->get_description()));
    }
  }
}

void AddSection(const CLI::App& app, std::string& text) {
  if (IsGroup(app)) {
    for (const CLI::App* command : Commands(app)) AddSection(*command, text);
    return;
  }
  text += fmt::format("\n## {}\n\n{}.\n", FullName(app), app.get_description());
  AddOptions(app, text);
  if (!app.get_footer().empty()) {
    text += fmt::format("\n```text\n{}\n```\n", app.get_footer());
  }
}

// "a, b or c" -> a, b, c; nothing for ranges of numbers.
std::vector<std::string> Choices(std::string range) {
  std::vector<std::string> list;
  if (range.find('<') != std::string::npos ||
      range.find('>') != std::string::npos) {
    return list;
  }
  if (const auto last = range.rfind(" or "); last != std::string::npos) {
    range.replace(last, 4, ", ");
  }
  while (!range.empty()) {
    const std::size_t end = range.find(", ");
    list.push_back(range.substr(0, end));
    range = end == std::string::npos ? "" : range.substr(end + 2);
  }
  return list;
}

// What can follow an option, for those that have a list of it.
std::map<std::string, std::vector<std::string>> KnownValues() {
  std::map<std::string, std::vector<std::string>> values;
  const auto add = [&](const std::vector<FieldDescription>& fields) {
    for (const FieldDescription& field : fields) {
      auto choices = Choices(field.range);
      if (!choices.empty()) values[FlagName(field.name)] = std::move(choices);
    }
  };
  for (const auto& info : optim::AllOptimizers()) {
    const auto choice = optim::ChooseOptimizer("", info.name);
    add(choice.MethodFields());
    add(choice.ChainFields());
    values["--optimizer"].emplace_back(info.name);
  }
  for (const auto& group : experiment::RunConfig::Describe()) {
    add(group.fields);
  }
  for (const auto& info : data::AllTasks()) {
    values["--task"].emplace_back(info.name);
  }
  values["--activation"] = Choices(AllNames<nn::Activation>());
  values["--loss"] = Choices(AllNames<nn::Loss::Kind>());
  values["--schedule"] = Choices(AllNames<optim::ScheduleKind>());
  return values;
}

void AddCases(const CLI::App& app, std::string& cases) {
  std::vector<std::string> words;
  for (const CLI::App* command : Commands(app)) {
    words.push_back(command->get_name());
    AddCases(*command, cases);
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
    }
  }
  cases += fmt::format("    '{}') words='{}' ;;\n", FullName(app),
                       fmt::join(words, " "));
}

// "sven list optimizers" and so on, for the script to recognise; and those of
// them that other commands follow.
void AddNames(const CLI::App& app, std::vector<std::string>& names,
              std::vector<std::string>& groups) {
  names.push_back(FullName(app));
  if (IsGroup(app)) groups.push_back(FullName(app));
  for (const CLI::App* command : Commands(app)) {
    AddNames(*command, names, groups);
  }
}

}  // namespace

std::string MarkdownReference(const CLI::App& app) {
  std::string text =
      "# Command line\n\nEvery command with its options, as the program itself "
      "lists them\n(`sven list commands --markdown`). `sven COMMAND --help` "
      "says the same.\n\nExit codes: 0 done, 1 failed at run time, 2 wrong "
      "usage.\n\n| command | what it does |\n| --- | --- |\n";
  for (const CLI::App* command : Commands(app)) {
    text += fmt::format("| `sven {}` | {} |\n", command->get_name(),
                        Cell(command->get_description()));
  }
  AddSection(app, text);
  return text;
}

std::string BashCompletion(const CLI::App& app) {
  std::string cases;
  AddCases(app, cases);
  std::string values;
  for (const auto& [flag, words] : KnownValues()) {
    values +=
        fmt::format("    {}) words='{}' ;;\n", flag, fmt::join(words, " "));
  }
  std::vector<std::string> names;
  std::vector<std::string> groups;
  AddNames(app, names, groups);
  return fmt::format(R"(# Completion of sven for bash:
#   source <(sven completion bash)
_sven() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=sven word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
    '{}') command="$command $word" ;;
    esac
  done
  case $previous in
{}  esac
  local offer=
  [[ $current == -* ]] && offer=yes
  case $command in
  '{}') offer=yes ;;
  esac
  if [ -z "$words" ] && [ -n "$offer" ]; then
    case $command in
{}    esac
  fi
  # Lists with commas: complete the last entry.
  local head=
  if [[ $current == *,* && $current != -* ]]; then
    head=${{current%,*}},
    current=${{current##*,}}
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _sven sven
)",
                     fmt::join(names, "'|'"), values, fmt::join(groups, "'|'"),
                     cases);
}

std::string SuggestArgument(const CLI::App& app, const std::string& argument) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  std::vector<std::string> known;
  if (argument.starts_with("-")) {
    for (const CLI::Option* option : command->get_options()) {
      for (const auto& name : option->get_lnames())
        known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : Commands(*command)) {
      known.push_back(sub->get_name());
    }
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string given = argument.substr(0, argument.find('='));
  std::string hint = names.empty() ? "" : SuggestOrList(given, names);
  if (hint.find("did you mean") != std::string::npos) return hint;
  return fmt::format("; {} --help shows what there is", FullName(*command));
}

}  // namespace sven::cli
