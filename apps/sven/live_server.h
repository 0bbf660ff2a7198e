// SPDX-License-Identifier: MIT
//
// The report page, served to a browser and kept up to date while runs train.
#ifndef SVEN_APPS_SVEN_LIVE_SERVER_H_
#define SVEN_APPS_SVEN_LIVE_SERVER_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sven::cli {

inline constexpr const char* kLoopback = "127.0.0.1";
inline constexpr int kUsualPort = 8137;

struct LiveServerOptions {
  std::string host = kLoopback;
  int port = kUsualPort;  // 0: one that is free
  // Take a free one if the port is taken.
  bool other_port = false;
  // What takes a free one, for whoever asked for one that is taken.
  std::string free_port_option = "--port 0";
};

// Follows folders and answers browsers, in threads of its own, as long as it
// lives. That it can listen is known before there need be anything to show. It has two paths: / is the page, /api/data the changes since what the
// page has (web/DATA.md). No file is ever chosen by a request.
class LiveServer {
 public:
  // Takes the port; browsers wait until there are folders to follow. Throws a
  // DataError if it cannot listen.
  explicit LiveServer(const LiveServerOptions& options);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] int Port() const;
  // "http://127.0.0.1:8137/"
  [[nodiscard]] std::string Address() const;

  // Shows what is in the folders from now on; once. Throws a DataError if one of
  // them is missing.
  void Follow(std::vector<std::filesystem::path> folders);

  // Reads everything once more and, if a page has asked of late, waits until it
  // has asked again, two seconds at most: so that it shows how runs ended.
  void ShowEnd();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// Whether the Host of a request is one that the server goes by: this machine's
// loopback names, and the address that it listens at. Everything else is a page
// from elsewhere that had its name resolved to this address to read along. A
// server that listens at all addresses goes by all of them, as numbers, and by
// the name of the machine. The port may be any: tunnels have their own.
bool IsOwnHost(const std::string& host, const std::string& listens_at);

// Only this machine can reach it.
bool IsLoopback(const std::string& host);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_LIVE_SERVER_H_
