// SPDX-License-Identifier: MIT
#include "live_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

// A macro of the system's resolver, which Eigen has parameters of that name for.
#undef _res

#include "sven/base/error.h"
#include "sven/train/records.h"
#include "testing/files.h"

namespace sven::cli::live_server_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::DataErrorOf;
using testing::TemporaryFolder;

void WriteRun(const fs::path& folder, int epochs) {
  train::RunFile file;
  file.config.version = "0.1.0";
  file.config.settings = {{"task", "toy1d"}, {"optimizer", "sven"}};
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    file.epochs.push_back({.epoch = epoch, .step = epoch});
  }
  fs::create_directories(folder);
  std::ofstream(folder / "run.jsonl") << train::FormatRunFile(file);
}

class LiveServerTest : public ::testing::Test {
 protected:
  LiveServerTest() {
    WriteRun(folder_ / "a", 2);
    server_ = std::make_unique<LiveServer>(LiveServerOptions{.port = 0});
    server_->Follow({folder_.Path()});
  }

  [[nodiscard]] httplib::Client Client() const {
    httplib::Client client(kLoopback, server_->Port());
    client.set_keep_alive(true);
    return client;
  }

  // The answer to any bytes, until the server hangs up. Where it may wait for
  // more instead, the wait is limited.
  [[nodiscard]] std::string Raw(const std::string& request,
                                bool may_wait = false) const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->Port()));
    ::inet_pton(AF_INET, kLoopback, &address.sin_addr);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                        sizeof(address)),
              0);
    std::size_t sent = 0;
    while (sent < request.size()) {
      const ssize_t count = ::send(fd, request.data() + sent,
                                   request.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
    const timeval limit{.tv_sec = may_wait ? 0 : 60, .tv_usec = 200'000};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    std::string answer;
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0) {
      answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(fd);
    return answer;
  }

  // "404" of "HTTP/1.1 404 Not Found"; empty if it hung up.
  [[nodiscard]] std::string RawStatus(const std::string& request,
                                      bool may_wait = false) const {
    const std::string answer = Raw(request, may_wait);
    return answer.size() < 12 ? "" : answer.substr(9, 3);
  }

  [[nodiscard]] std::string StatusOf(const std::string& path) const {
    return RawStatus("GET " + path +
                     " HTTP/1.1\r\nHost: localhost\r\n"
                     "Connection: close\r\n\r\n");
  }

  TemporaryFolder folder_;
  std::unique_ptr<LiveServer> server_;
};

TEST_F(LiveServerTest, HandsOutThePageWithItsData) {
  auto client = Client();
  const auto page = client.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_NE(page->body.find(R"(id="sven-data" data-live>{"format")"),
            std::string::npos);
  const auto data = client.Get("/api/data");
  ASSERT_TRUE(data);
  const Json document = Json::parse(data->body);
  EXPECT_EQ(document["runs"].size(), 1U);
  EXPECT_FALSE(document.contains("partial"));
}

TEST_F(LiveServerTest, TellsWhatHasChangedAndNothingElse) {
  auto client = Client();
  const Json document = Json::parse(client.Get("/api/data")->body);
  const std::string session = document["session"];
  const auto ask = [&](std::uint64_t revision) {
    return client.Get("/api/data?session=" + session +
                      "&since=" + std::to_string(revision));
  };
  const std::uint64_t revision = document["revision"];
  EXPECT_EQ(ask(revision)->status, 204);
  EXPECT_FALSE(Json::parse(ask(revision + 1)->body).contains("partial"));
  EXPECT_FALSE(Json::parse(client.Get("/api/data?session=x&since=1")->body)
                   .contains("partial"));

  WriteRun(folder_ / "b", 3);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  auto answer = ask(revision);
  while (answer->status == 204 && std::chrono::steady_clock::now() < deadline) {
    answer = ask(revision);
  }
  const Json part = Json::parse(answer->body);
  EXPECT_EQ(part["partial"], true);
  ASSERT_EQ(part["runs"].size(), 1U);
  EXPECT_EQ(part["runs"][0]["epochs"]["val_loss"].size(), 3U);
}

TEST_F(LiveServerTest, AnotherServerIsAnotherSession) {
  const Json first = Json::parse(Client().Get("/api/data")->body);
  server_.reset();
  server_ = std::make_unique<LiveServer>(LiveServerOptions{.port = 0});
  server_->Follow({folder_.Path()});
  const Json second = Json::parse(Client().Get("/api/data")->body);
  EXPECT_NE(first["session"], second["session"]);
}

TEST_F(LiveServerTest, AnswersItsOwnPathsOnly) {
  EXPECT_EQ(StatusOf("/"), "200");
  EXPECT_EQ(StatusOf("/?x=<script>"), "200");
  EXPECT_EQ(StatusOf("/api/data"), "200");
  for (const char* path :
       {"/a/run.jsonl", "/etc/passwd", "/../../etc/passwd", "//etc/passwd",
        "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
        "/api/../../etc/passwd", "/api/data/../../etc/passwd", "/api/data/",
        "/api", "/index.html", "/favicon.ico", "/api/data%00", "/\\..\\x"}) {
    EXPECT_EQ(StatusOf(path), "404") << path;
  }
}

TEST_F(LiveServerTest, RefusesOtherMethods) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"}) {
    const std::string status =
        RawStatus(std::string(method) +
                  " / HTTP/1.1\r\nHost: localhost\r\n"
                  "Content-Length: 0\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(status == "405" || status == "400") << method << status;
  }
  const std::string head =
      Raw("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head.substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_EQ(head.find("<html"), std::string::npos);
}

TEST_F(LiveServerTest, RefusesOtherHosts) {
  const auto status = [&](const std::string& headers) {
    return RawStatus("GET /api/data HTTP/1.1\r\nConnection: close\r\n" +
                     headers + "\r\n");
  };
  EXPECT_EQ(status("Host: localhost\r\n"), "200");
  EXPECT_EQ(status("Host: 127.0.0.1:1234\r\n"), "200");
  EXPECT_EQ(status("Host: evil.example\r\n"), "403");
  EXPECT_EQ(status("Host: localhost.evil.example\r\n"), "403");
  EXPECT_EQ(status("Host: 127.0.0.1.evil.example\r\n"), "403");
  EXPECT_EQ(status("Host: 192.168.0.7\r\n"), "403");
  EXPECT_EQ(status("Host:\r\n"), "400");
  EXPECT_EQ(status(""), "400");
  EXPECT_EQ(status("Host: localhost\r\nHost: evil.example\r\n"), "400");
}

TEST_F(LiveServerTest, SurvivesWhateverItIsSent) {
  const std::string good = "\r\nHost: localhost\r\n\r\n";
  const std::string requests[] = {
      "",
      "\r\n\r\n",
      "GARBAGE\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9" + good,
      "GET / \r\n\r\n",
      "GET  / HTTP/1.1" + good,
      "get / HTTP/1.1" + good,
      std::string("GET /\0 HTTP/1.1", 15) + good,
      "GET / HTTP/1.1\nHost: localhost\n\n",
      "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100'000, 'x') +
          "\r\n\r\n",
      "GET /" + std::string(100'000, 'x') + " HTTP/1.1" + good,
      "GET /?" + std::string(20'000, '%') + " HTTP/1.1" + good,
      "GET /api/data?since=-1&session=%ff%00 HTTP/1.1" + good,
      "GET /api/data?since=99999999999999999999999 HTTP/1.1" + good,
      "GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1,0-1,0-1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
      "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\n"
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
      "POST / HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Length: 99999999999999999999\r\n\r\nx",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x16\x03\x01\x02\x01\x01",
      std::string(200'000, '\xff'),
  };
  for (const std::string& request : requests) {
    const std::string status = RawStatus(request, /*may_wait=*/true);
    EXPECT_TRUE(status.empty() || status[0] == '4' || status == "200" ||
                status == "505")
        << request.substr(0, 60) << ": " << status;
    EXPECT_EQ(StatusOf("/api/data"), "200") << request.substr(0, 60);
  }
}

TEST_F(LiveServerTest, FiftyConnectionsAreServedAtOnce) {
  constexpr int kConnections = 50;
  constexpr int kRequests = 20;
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kConnections; ++i) {
    threads.emplace_back([&] {
      auto client = Client();
      for (int j = 0; j < kRequests; ++j) {
        const auto answer = client.Get(j == 0 ? "/" : "/api/data");
        if (answer && answer->status == 200) ++answered;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, kConnections * kRequests);
}

TEST_F(LiveServerTest, APortIsForOneServer) {
  const LiveServerOptions same{.port = server_->Port()};
  EXPECT_NE(DataErrorOf([&] { LiveServer second(same); }).find("cannot listen"),
            std::string::npos);
  LiveServerOptions other = same;
  other.other_port = true;
  const LiveServer second(other);
  EXPECT_NE(second.Port(), server_->Port());
  EXPECT_NE(DataErrorOf([&] {
              LiveServer third({.host = "192.0.2.1", .port = 0});
            }).find("cannot listen"),
            std::string::npos);
}

TEST_F(LiveServerTest, APageThatAsksSeesTheEnd) {
  auto client = Client();
  const Json first = Json::parse(client.Get("/api/data")->body);
  const std::string since =
      "/api/data?session=" + first["session"].get<std::string>() + "&since=";
  WriteRun(folder_ / "a", 7);
  std::atomic<bool> over = false;
  std::size_t epochs = 0;
  std::thread page([&] {
    std::uint64_t revision = first["revision"];
    while (!over) {
      const auto answer = client.Get(since + std::to_string(revision));
      if (answer->status != 200) continue;
      const Json part = Json::parse(answer->body);
      revision = part["revision"];
      for (const Json& run : part["runs"]) {
        epochs = run["epochs"]["val_loss"].size();
      }
    }
  });
  server_->ShowEnd();
  over = true;
  page.join();
  EXPECT_EQ(epochs, 7U);
}

TEST_F(LiveServerTest, APortIsFreeAgainAfterAServerThatFollowedNothing) {
  int port = 0;
  {
    LiveServer other({.port = 0});
    port = other.Port();
    EXPECT_NE(DataErrorOf([&] { other.Follow({folder_ / "nowhere"}); }), "");
  }
  EXPECT_EQ(LiveServer({.port = port}).Port(), port);
}

TEST_F(LiveServerTest, AFolderThatVanishesAndComesBackIsFollowed) {
  auto client = Client();
  const auto runs = [&] {
    return Json::parse(client.Get("/api/data")->body)["runs"].size();
  };
  const auto wait_for = [&](std::size_t count) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (runs() != count && std::chrono::steady_clock::now() < deadline) {
    }
    return runs();
  };
  fs::remove_all(folder_.Path());
  EXPECT_EQ(wait_for(0), 0U);
  WriteRun(folder_ / "a", 1);
  EXPECT_EQ(wait_for(1), 1U);
}

TEST(OwnHost, IsALoopbackNameOrTheAddressListenedAt) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:8137",
                           "127.1.2.3", "[::1]", "[::1]:8137"}) {
    EXPECT_TRUE(IsOwnHost(host, kLoopback)) << host;
    EXPECT_TRUE(IsOwnHost(host, "192.168.1.5")) << host;
  }
  EXPECT_TRUE(IsOwnHost("192.168.1.5:80", "192.168.1.5"));
  EXPECT_TRUE(IsOwnHost("box.lan", "box.lan"));
  for (const char* host :
       {"", ":", ":80", "evil.example", "localhost.evil.example", "localhost:",
        "localhost:x", "localhost:1:2", "[::1", "[::1]x", "[]", "127.evil",
        "192.168.1.6", "localhost@evil", "localhost/", " localhost"}) {
    EXPECT_FALSE(IsOwnHost(host, "192.168.1.5")) << host;
  }
  // Listening everywhere: numbers cannot be made to mean something else.
  EXPECT_TRUE(IsOwnHost("192.168.1.6:80", "0.0.0.0"));
  EXPECT_TRUE(IsOwnHost("[fe80::1]:80", "::"));
  EXPECT_FALSE(IsOwnHost("evil.example", "0.0.0.0"));
  EXPECT_FALSE(IsLoopback("0.0.0.0"));
  EXPECT_FALSE(IsLoopback("127.evil.example"));
}

}  // namespace
}  // namespace sven::cli::live_server_test
