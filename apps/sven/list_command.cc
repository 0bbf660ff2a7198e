// SPDX-License-Identifier: MIT
//
// sven list: what there is to choose from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "optimizer_flags.h"
#include "reference.h"
#include "sven/data/task_registry.h"
#include "sven/optim/registry.h"

namespace sven::cli {
namespace {

struct ListArguments {
  std::string optimizer;
  bool markdown = false;
  bool names = false;
};

// "lr 0.01, momentum 0": what has a value, without switches that are off.
std::string Defaults(const optim::OptimizerChoice& choice) {
  std::string text;
  for (const FieldDescription& field : choice.MethodFields()) {
    const std::string& value = field.default_value;
    if (value == "false" || value == "none") continue;
    if (!text.empty()) text += ", ";
    text += field.name + " " + value;
  }
  return text;
}

void PrintAll() {
  std::size_t width = 0;
  for (const auto& info : optim::AllOptimizers()) {
    width = std::max(width, info.name.size());
  }
  for (const auto family : {optim::Family::kFirstOrder, optim::Family::kGram,
                            optim::Family::kLayerMatrix}) {
    fmt::print("{}\n", Name(family));
    for (const auto& info : optim::AllOptimizers()) {
      if (info.family != family) continue;
      const auto choice = optim::ChooseOptimizer("", info.name);
      fmt::print("  {:<{}}  {}\n  {:<{}}  {}\n", info.name, width, info.summary,
                 "", width, Defaults(choice));
    }
    fmt::print("\n");
  }
  fmt::print("sven list optimizers NAME explains the settings of one.\n");
}

void PrintTable(const std::vector<FieldDescription>& fields) {
  std::size_t name = 0;
  std::size_t value = 0;
  for (const FieldDescription& field : fields) {
    name = std::max(name, FlagName(field.name).size());
    value = std::max(value, field.default_value.size());
  }
  for (const FieldDescription& field : fields) {
    fmt::print("  {:<{}}  {:<{}}  {}{}{}\n", FlagName(field.name), name,
               field.default_value, value, field.doc,
               field.range.empty() ? "" : ": ", field.range);
  }
}

void PrintMarkdown(const std::vector<FieldDescription>& fields) {
  fmt::print("| setting | default | meaning |\n| --- | --- | --- |\n");
  for (const FieldDescription& field : fields) {
    fmt::print("| `{}` | {} | {}{}{} |\n", field.name, field.default_value,
               field.doc, field.range.empty() ? "" : "; ", field.range);
  }
}

void PrintOne(const optim::OptimizerChoice& choice, bool markdown) {
  if (markdown) {
    PrintMarkdown(choice.MethodFields());
    return;
  }
  fmt::print("{}: {}\n\nsettings, with their defaults\n", choice.Info().title,
             choice.Info().summary);
  PrintTable(choice.MethodFields());
  fmt::print("\nfor every method that they make sense for\n");
  PrintTable(choice.ChainFields());
}

void RunListOptimizers(const ListArguments& arguments) {
  if (arguments.names) {
    for (const auto& info : optim::AllOptimizers()) {
      fmt::print("{}\n", info.name);
    }
    return;
  }
  if (arguments.optimizer.empty()) {
    PrintAll();
    return;
  }
  PrintOne(optim::ChooseOptimizer("NAME", arguments.optimizer),
           arguments.markdown);
}

void PrintTask(const data::TaskInfo& task) {
  fmt::print(
      "{}\n  {}\n  network with hidden layers {}, loss {}, batches of "
      "{}\n",
      task.name, task.summary, fmt::join(task.hidden, ","), Name(task.loss),
      task.batch_size);
  const auto names = data::TaskSettingNames(task);
  std::vector<FieldDescription> fields;
  for (FieldDescription& field : DescribeFields(data::TaskDefaults(task))) {
    if (std::ranges::count(names, field.name) == 0) continue;
    // Nothing said is all that there is.
    if (field.default_value == "none") field.default_value = "all";
    fields.push_back(std::move(field));
  }
  PrintTable(fields);
  fmt::print("\n");
}

void RunListTasks(bool names) {
  for (const data::TaskInfo& task : data::AllTasks()) {
    if (names) {
      fmt::print("{}\n", task.name);
    } else {
      PrintTask(task);
    }
  }
}

}  // namespace

void AddListCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("list", "Show what there is to choose from");
  command->require_subcommand(1);
  CLI::App* optimizers = command->add_subcommand(
      "optimizers", "All optimizers, or the settings of one");
  auto arguments = std::make_shared<ListArguments>();
  optimizers
      ->add_option("NAME", arguments->optimizer, "the settings of this one")
      ->type_name("");
  optimizers->add_flag("--markdown", arguments->markdown,
                       "the settings as a table for documentation");
  optimizers->add_flag("--names", arguments->names, "only the names");
  CLI::App* commands = command->add_subcommand(
      "commands", "All commands with their options, as docs/cli.md has them");
  commands->add_flag("--markdown", arguments->markdown,
                     "as Markdown, which is the only form there is");
  commands->callback([&app] { fmt::print("{}", MarkdownReference(app)); });
  optimizers->callback([arguments] { RunListOptimizers(*arguments); });
  CLI::App* tasks = command->add_subcommand(
      "tasks", "The built-in tasks, with their settings and defaults");
  tasks->add_flag("--names", arguments->names, "only the names");
  tasks->callback([arguments] { RunListTasks(arguments->names); });
}

}  // namespace sven::cli
