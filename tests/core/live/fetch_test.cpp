#include "core/live/fetch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/live/endpoint.h"

namespace scalemark::live {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

std::string refusal_by(const std::string& url, ExitCode expected, const std::string& token = {},
                       milliseconds limit = kLong) {
  try {
    return "got " + fetch(url, token, limit);
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, expected) << error.what();
    return error.record().what;
  }
}

Endpoint::Options echo() {
  return {.page = [](auto path, auto) {
    using Found = std::optional<Endpoint::Page>;
    return path == "/none" ? Found() : Found({"text/plain", "at " + std::string(path)});
  }};
}

// Listens, and answers each client with `text` once the request is there; never, if it is empty.
class Stub {
 public:
  // `then` follows the text again and again, until the client has gone.
  explicit Stub(std::string text, std::string then = {}) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(fd_, 4), 0);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    if (text.empty()) return;
    server_ = std::thread([this, text = std::move(text), then = std::move(then)] {
      for (int client = 0; (client = ::accept(fd_, nullptr, nullptr)) >= 0; ::close(client)) {
        char byte = 0;
        ::recv(client, &byte, 1, 0);
        ::send(client, text.data(), text.size(), MSG_NOSIGNAL);
        while (!then.empty() && ::send(client, then.data(), then.size(), MSG_NOSIGNAL) > 0) {
        }
        ::shutdown(client, SHUT_WR);
        while (::recv(client, &byte, 1, 0) > 0) {
        }
      }
    });
  }
  ~Stub() {
    ::shutdown(fd_, SHUT_RDWR);
    if (server_.joinable()) server_.join();
    ::close(fd_);
  }
  const std::string& url() const { return url_; }

 private:
  int fd_;
  std::string url_;
  std::thread server_;
};

TEST(Fetch, ReadsTheStatusOrThePageOfAPath) {
  const Endpoint endpoint(echo());
  const std::string url = "http://" + endpoint.address();
  EXPECT_EQ(fetch(url, "", kLong), "at /status");
  EXPECT_EQ(fetch(url + "/", "", kLong), "at /status");
  EXPECT_EQ(fetch(url + "/metrics?a=b", "", kLong), "at /metrics");
  EXPECT_EQ(fetch("http://localhost:" + std::to_string(endpoint.port()), "", kLong), "at /status");
  EXPECT_EQ(refusal_by(url + "/none", ExitCode::kBadData),
            endpoint.address() + "/none was answered with 404");
}

TEST(Fetch, GivesTheToken) {
  Endpoint::Options options = echo();
  options.token = "sixteen-letters.";
  const Endpoint endpoint(options);
  const std::string url = "http://" + endpoint.address();
  EXPECT_EQ(fetch(url, "sixteen-letters.", kLong), "at /status");
  EXPECT_EQ(refusal_by(url, ExitCode::kPermission), endpoint.address() + " asks for a token");
  EXPECT_EQ(refusal_by(url, ExitCode::kPermission, "another"),
            endpoint.address() + " has another token than that of --metrics-token");
}

TEST(Fetch, TakesOnlyPlainHttp) {
  for (const char* url : {"https://n7:29400", "ftp://n7", "http://", "http:///status",
                          "http://n7:0", "http://n7:65536", "http://n7:x", "http://n7:",
                          "http://user@n7:80", "http://[::1", "http://[]:80", "http://[::1]80",
                          "http://n7/a b", "http://n7/a\nX: y", "http://n7?status"}) {
    EXPECT_TRUE(is_url(url)) << url;
    EXPECT_EQ(refusal_by(url, ExitCode::kUsage),
              "'" + std::string(url) + "' is no URL of a run's page");
  }
  EXPECT_FALSE(is_url("results/runs/a"));
}

TEST(Fetch, AnIpv6AddressStandsInBrackets) {
  Endpoint::Options options = echo();
  options.host = "::1";
  std::optional<Endpoint> endpoint;
  try {
    endpoint.emplace(options);
  } catch (const Error&) {
    GTEST_SKIP() << "no IPv6 here";
  }
  EXPECT_EQ(fetch("http://" + endpoint->address(), "", kLong), "at /status");
}

TEST(Fetch, SaysWhoDoesNotAnswer) {
  std::string address;
  {
    const Endpoint gone(echo());
    address = gone.address();
  }
  EXPECT_EQ(refusal_by("http://" + address, ExitCode::kNoInput),
            "cannot read from " + address + ": Connection refused");
  const std::string unknown = refusal_by("http://no.such.host.invalid:80", ExitCode::kNoInput);
  EXPECT_NE(unknown.find("no.such.host.invalid"), std::string::npos) << unknown;

  const Stub silent("");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal_by(silent.url(), ExitCode::kNoInput, "", milliseconds(200)),
            silent.url().substr(7) + " has not answered within 0.2 s");
  EXPECT_GE(seconds_since(start), 0.19);
  EXPECT_LT(seconds_since(start), 30);
}

// Each part comes in time, and the whole never does. Small parts: their number, not their bytes,
// would have to reach a bound.
TEST(Fetch, AnAnswerHasOneDeadline) {
  const Stub body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n");
  const Stub body_to_the_end("HTTP/1.1 200 OK\r\n\r\n", "x");
  for (const Stub* endless : {&body, &body_to_the_end}) {
    EXPECT_EQ(refusal_by(endless->url(), ExitCode::kNoInput, "", milliseconds(200)),
              endless->url().substr(7) + " has not answered within 0.2 s");
  }
}

TEST(Fetch, RefusesWhatIsNoAnswer) {
  const Stub other("220 mail.example ESMTP\r\n");
  EXPECT_NE(refusal_by(other.url(), ExitCode::kBadData).find("does not speak HTTP"),
            std::string::npos);
  const Stub cut("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  refusal_by(cut.url(), ExitCode::kNoInput);
  const Stub large("HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n");
  EXPECT_NE(refusal_by(large.url(), ExitCode::kBadData).find("larger than 64 MiB"),
            std::string::npos);
  const Stub moved("HTTP/1.1 301 Moved\r\nLocation: http://evil.org\r\nContent-Length: 0\r\n\r\n");
  EXPECT_NE(refusal_by(moved.url(), ExitCode::kBadData).find("301"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::live
