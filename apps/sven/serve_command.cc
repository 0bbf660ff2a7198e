// SPDX-License-Identifier: MIT
//
// sven serve: the report page, live.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "commands.h"
#include "live_server.h"
#include "sven/base/error.h"
#include "terminal.h"

namespace sven::cli {
namespace {

constexpr const char* kServeFooter =
    R"(The page of sven report, which follows runs as they train: leave it open while
sven train or sven scan works in another terminal. It shows an epoch a second or
so after it has ended, and goes on by itself when either side is started again.

Only this machine can open it, unless --host says otherwise. Then everyone who
reaches that address can read the page, without a password. From elsewhere better
use a tunnel: ssh -L 8137:localhost:8137 MACHINE

Examples:
  sven serve runs
  sven serve runs scans --port 0          any free port
  sven train --task toy1d --live          training and page in one
Ctrl-C ends it. Exit code: 0 ended, 1 it cannot listen, 2 wrong usage.)";

struct ServeArguments {
  std::vector<std::string> folders;
  std::string host = kLoopback;
  int port = kUsualPort;
};

void Run(const ServeArguments& arguments) {
  if (arguments.host.empty()) {
    throw UsageError("--host: expected an address, not an empty text");
  }
  CatchInterrupts();
  LiveServer server({.host = arguments.host, .port = arguments.port});
  server.Follow({arguments.folders.begin(), arguments.folders.end()});
  fmt::print("{}\n", server.Address());
  static_cast<void>(std::fflush(stdout));
  if (!IsLoopback(arguments.host)) {
    PrintError("sven: everyone who reaches {} can read this page\n",
               arguments.host);
  }
  constexpr unsigned kMicroseconds = 50'000;
  while (!Interrupted()) ::usleep(kMicroseconds);
}

}  // namespace

void AddServeCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "serve", "Show that page in a browser and follow runs as they train");
  auto arguments = std::make_shared<ServeArguments>();
  command->add_option("DIR", arguments->folders, "folders with runs")
      ->required()
      ->type_name("");
  constexpr int kLargestPort = 65535;
  command
      ->add_option("--port", arguments->port,
                   "where to listen; 0: any that is free [8137]")
      ->check(CLI::Range(0, kLargestPort))
      ->type_name("P");
  command
      ->add_option("--host", arguments->host,
                   "address to listen at [127.0.0.1: only this machine]")
      ->type_name("H");
  command->footer(kServeFooter);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace sven::cli
