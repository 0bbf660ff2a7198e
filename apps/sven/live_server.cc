// SPDX-License-Identifier: MIT
#include "live_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

// A macro of the system's resolver, which Eigen has parameters of that name for.
#undef _res

#include "sven/base/error.h"
#include "sven/base/fields.h"
#include "sven/report/document.h"

namespace sven::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A connection keeps a thread for itself, most of the time waiting.
constexpr std::size_t kMostThreads = 96;
constexpr int kWaitingConnections = 256;
constexpr int kKeepAliveSeconds = 2;
// Of a request that has begun. The server ends no sooner.
constexpr int kReadSeconds = 2;
constexpr std::size_t kRequestsPerConnection = 1000;
// Between looks at the files, and the share of the time that looking may take.
constexpr milliseconds kPause{250};
constexpr int kPauseFactor = 9;
constexpr milliseconds kLongestFarewell{2000};

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

// Without port, and without the brackets of IPv6; empty if it is malformed.
std::string HostName(const std::string& host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.find(':');
  if (bracketed && end == std::string::npos) return "";
  const std::size_t after = bracketed ? end + 1 : std::min(end, host.size());
  const std::string port = host.substr(after);
  const bool good =
      port.empty() || (port.size() > 1 && port.front() == ':' &&
                       internal::ParseUnsigned(port.substr(1)).has_value());
  if (!good) return "";
  return Lower(bracketed ? host.substr(1, end - 1) : host.substr(0, after));
}

bool IsNumeric(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

std::string MachineName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return Lower(name.data());
}

std::string NewSession() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Nobody else may share the port, as the library's own options would let them.
void SetSocketOptions(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

// A thread more whenever a connection finds none idle, up to a limit, or as many
// as the system gives: connections then wait for each other. One is there from
// the start.
class Workers : public httplib::TaskQueue {
 public:
  Workers() {
    threads_.emplace_back([this] { Work(); });
  }
  ~Workers() override { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void enqueue(std::function<void()> job) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ < jobs_.size() && threads_.size() < kMostThreads) AddThread();
    wake_.notify_one();
  }

  void shutdown() override { Stop(); }

 private:
  void AddThread() {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::exception&) {
      // Those that are there do it.
    }
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // the last: they use all the others
};

// Why a request is not answered; nothing if it is.
struct Refusal {
  int status;
  const char* reason;
};

std::optional<Refusal> Refuse(const httplib::Request& request,
                              const std::string& listens_at) {
  if (request.get_header_value_count("Host") != 1) {
    return Refusal{400, "one Host is expected"};
  }
  if (!IsOwnHost(request.get_header_value("Host"), listens_at)) {
    return Refusal{403, "this server does not go by that name"};
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return Refusal{405, "only GET and HEAD"};
  }
  if (request.path != "/" && request.path != "/api/data") {
    return Refusal{404, "there is / and /api/data"};
  }
  const std::string length = request.get_header_value("Content-Length");
  if ((!length.empty() && length != "0") ||
      request.has_header("Transfer-Encoding") || !request.ranges.empty()) {
    return Refusal{400, "neither content nor ranges are expected"};
  }
  return std::nullopt;
}

}  // namespace

bool IsLoopback(const std::string& host) {
  const std::string name = Lower(host);
  return name == "localhost" || name == "::1" ||
         (name.starts_with("127.") && IsNumeric(name));
}

bool IsOwnHost(const std::string& host, const std::string& listens_at) {
  const std::string name = HostName(host);
  if (name.empty()) return false;
  if (IsLoopback(name) || name == Lower(listens_at)) return true;
  const bool everywhere = listens_at == "0.0.0.0" || listens_at == "::";
  return everywhere && (IsNumeric(name) || name == MachineName());
}

class LiveServer::Implementation {
 public:
  explicit Implementation(const LiveServerOptions& options)
      : host_(options.host), document_(NewSession()) {
    SetUp();
    Listen(options);
  }

  void Follow(std::vector<std::filesystem::path> folders) {
    collection_.emplace(std::move(folders));
    Look();
    StartThreads();
    // To be stopped before it runs would be forgotten.
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds(1));
  }

  ~Implementation() {
    server_.stop();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (follower_.joinable()) follower_.join();
    if (listener_.joinable()) {
      listener_.join();
    } else {
      ::close(socket_);
    }
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  [[nodiscard]] int Port() const { return port_; }
  [[nodiscard]] const std::string& Host() const { return host_; }

  void ShowEnd() {
    Look();
    std::unique_lock lock(mutex_);
    if (!asked_ || Clock::now() - *asked_ > kLongestFarewell) return;
    answered_.wait_for(lock, kLongestFarewell,
                       [&] { return shown_ == document_.Revision(); });
  }

 private:
  void StartThreads() {
    try {
      workers_ = std::make_unique<Workers>();
      follower_ = std::thread([this] { KeepLooking(); });
      listener_ = std::thread([this] { server_.listen_after_bind(); });
    } catch (const std::system_error& error) {
      throw DataError(fmt::format("port {}: cannot start to serve the page: {}",
                                  port_, error.what()));
    }
  }

  void SetUp() {
    server_.new_task_queue = [this] { return workers_.release(); };
    server_.set_read_timeout(kReadSeconds);
    server_.set_keep_alive_timeout(kKeepAliveSeconds);
    server_.set_keep_alive_max_count(kRequestsPerConnection);
    server_.set_payload_max_length(0);
    server_.set_tcp_nodelay(true);
    server_.set_socket_options([this](int socket) {
      SetSocketOptions(socket);
      socket_ = socket;
    });
    server_.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"}});
    using Response = httplib::Server::HandlerResponse;
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const auto refusal = Refuse(request, host_);
          if (!refusal) return Response::Unhandled;
          response.status = refusal->status;
          response.set_content(fmt::format("{}\n", refusal->reason),
                               "text/plain; charset=utf-8");
          return Response::Handled;
        });
    server_.Get("/", [this](const auto&, httplib::Response& response) {
      Send(Page(), "text/html; charset=utf-8", response);
    });
    server_.Get("/api/data", [this](const httplib::Request& request,
                                    httplib::Response& response) {
      if (const auto answer = Changes(request)) {
        Send(*answer, "application/json", response);
      } else {
        response.status = 204;
      }
    });
  }

  void Listen(const LiveServerOptions& options) {
    if (options.port > 0 && server_.bind_to_port(host_, options.port)) {
      port_ = options.port;
    } else if (options.port == 0 || options.other_port) {
      port_ = server_.bind_to_any_port(host_);
    }
    if (port_ <= 0) {
      throw DataError(fmt::format(
          "{} port {}: cannot listen: the port is taken or the address is not "
          "of this machine; {} takes a free port",
          host_, options.port, options.free_port_option));
    }
    // More than the library lets wait.
    ::listen(socket_, kWaitingConnections);
  }

  // A text that is being sent, and the revision that it brings a page to.
  using SharedText = std::shared_ptr<const std::string>;
  struct Answer {
    SharedText text;
    std::uint64_t revision = 0;
  };

  // As it is: the library would compress it, which takes longer than to send
  // it to the same machine.
  void Send(const Answer& answer, const char* type,
            httplib::Response& response) {
    response.set_content_provider(
        answer.text->size(), type,
        [text = answer.text](std::size_t offset, std::size_t length,
                             httplib::DataSink& sink) {
          return sink.write(text->data() + offset, length);
        },
        [this, revision = answer.revision](bool sent) {
          const std::lock_guard lock(mutex_);
          if (sent) NoteShown(revision);
        });
  }

  Answer Page() {
    const std::lock_guard lock(mutex_);
    asked_ = Clock::now();
    if (!page_) {
      page_ = std::make_shared<const std::string>(
          report::MakePage(document_.Whole(), /*live=*/true));
    }
    return {.text = page_, .revision = document_.Revision()};
  }

  // Nothing if there is nothing new.
  std::optional<Answer> Changes(const httplib::Request& request) {
    const std::uint64_t since =
        internal::ParseUnsigned(request.get_param_value("since")).value_or(0);
    const std::lock_guard lock(mutex_);
    asked_ = Clock::now();
    auto text = document_.Since(request.get_param_value("session"), since);
    if (text) {
      return Answer{.text = std::make_shared<const std::string>(*text),
                    .revision = document_.Revision()};
    }
    NoteShown(since);
    return std::nullopt;
  }

  void NoteShown(std::uint64_t revision) {
    shown_ = std::max(shown_, revision);
    answered_.notify_all();
  }

  void Look() {
    const std::lock_guard looking(collection_mutex_);
    collection_->Refresh();
    const std::lock_guard lock(mutex_);
    if (document_.Update(*collection_)) page_.reset();
  }

  void KeepLooking() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      const auto start = Clock::now();
      try {
        Look();
      } catch (const std::exception&) {
        // Files that vanish meanwhile are seen as gone the next time.
      }
      const auto pause = std::max<Clock::duration>(
          kPause, kPauseFactor * (Clock::now() - start));
      lock.lock();
      wake_.wait_for(lock, pause, [&] { return stopping_; });
    }
  }

  std::string host_;
  int port_ = -1;
  int socket_ = -1;
  std::unique_ptr<Workers> workers_;  // until the server has them
  httplib::Server server_;
  std::mutex collection_mutex_;
  std::optional<report::Collection> collection_;
  std::mutex mutex_;  // of all below
  report::Document document_;
  SharedText page_;  // of the present revision
  std::optional<Clock::time_point> asked_;
  std::uint64_t shown_ = 0;  // the last revision that a page has
  bool stopping_ = false;
  std::condition_variable wake_;
  std::condition_variable answered_;
  std::thread follower_;
  std::thread listener_;
};

LiveServer::LiveServer(const LiveServerOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
LiveServer::~LiveServer() = default;

int LiveServer::Port() const { return implementation_->Port(); }

std::string LiveServer::Address() const {
  const std::string& host = implementation_->Host();
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", is_ipv6 ? "[" : "", host,
                     is_ipv6 ? "]" : "", Port());
}

void LiveServer::Follow(std::vector<std::filesystem::path> folders) {
  implementation_->Follow(std::move(folders));
}

void LiveServer::ShowEnd() { implementation_->ShowEnd(); }

}  // namespace sven::cli
