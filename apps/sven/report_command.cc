// SPDX-License-Identifier: MIT
//
// sven report: what came out of runs, as a page or as text.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ctime>
#include <memory>

#include "commands.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/text.h"
#include "sven/report/collection.h"
#include "sven/report/document.h"
#include "sven/report/ranking.h"
#include "terminal.h"

namespace sven::cli {
namespace {

constexpr const char* kReportFooter =
    R"(DIR is a folder of sven train, sven scan or sven reproduce, or has such folders in
it; several are shown together. The page is one file that needs nothing else: it
opens in any browser, without a network, and can be sent to somebody.

It has a ranking of the optimizers, curves, spectra, maps over hyper-parameters,
the paper's figures and claims if there is a reproduction, and every single run
with the command that does it again. Files that cannot be read are listed there.

--text prints the ranking and small curves instead: final validation loss (median
and quartiles over the seeds of an optimizer's best settings), the lowest one on
the way, seconds of training, steps.

Examples:
  sven report runs/a
  sven report scans/grid reproduction --out all.html
  sven report runs --text
Exit code: 0 done, 1 no runs found or the page cannot be written, 2 wrong usage.)";

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out = "report.html";
  bool text = false;
};

std::string Now() {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr)));
}

// Of what reads the output: a terminal, or somebody who expects the usual.
int OutputWidth() {
  constexpr int kUsual = 80;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : kUsual;
}

void CheckNotEmpty(const report::Collection& collection) {
  if (!collection.Runs().empty() || collection.Reproduced().IsThere()) return;
  std::string message = "no runs found";
  for (const report::SkippedFile& file : collection.Skipped()) {
    constexpr std::size_t kLongest = 400;
    message += fmt::format("\n  {}: {}", Printable(file.path, kLongest),
                           Printable(file.reason, kLongest));
  }
  message +=
      "\nsven train and sven scan put run.jsonl or runs/*.jsonl into their "
      "folders";
  throw DataError(message);
}

void Run(const ReportArguments& arguments) {
  report::Collection collection(
      {arguments.folders.begin(), arguments.folders.end()});
  collection.Refresh();
  CheckNotEmpty(collection);
  if (arguments.text) {
    fmt::print("{}",
               report::FormatRanking(report::RankOptimizers(collection.Runs()),
                                     collection.Skipped(), OutputWidth()));
    return;
  }
  report::Document document("", Now());
  document.Update(collection);
  const std::string page = report::MakePage(document.Whole());
  WriteFileAtomically(arguments.out, page);
  const std::size_t skipped = collection.Skipped().size();
  fmt::print(
      "{}: {} {}, {:.1f} MB{}\n", arguments.out, collection.Runs().size(),
      collection.Runs().size() == 1 ? "run" : "runs",
      static_cast<double>(page.size()) / 1e6,
      skipped == 0 ? ""
                   : fmt::format("; {} {} skipped, listed in it", skipped,
                                 skipped == 1 ? "file" : "files"));
}

}  // namespace

void AddReportCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "Make a page of figures and tables from runs");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("DIR", arguments->folders, "folders with runs")
      ->required()
      ->type_name("");
  CLI::Option* out =
      command->add_option("--out", arguments->out, "the page [report.html]")
          ->type_name("FILE");
  command
      ->add_flag("--text", arguments->text,
                 "print the ranking and small curves instead")
      ->excludes(out);
  command->footer(kReportFooter);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace sven::cli
