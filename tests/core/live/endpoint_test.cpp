#include "core/live/endpoint.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"

namespace scalemark::live {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kGood = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* kHead = "HEAD /status HTTP/1.1\r\nHost: localhost\r\n\r\n";

// The client sends whatever it is given. No wait lasts longer than 60 s.
class Client {
 public:
  explicit Client(int port, int receive_buffer = 0) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval timeout{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (receive_buffer > 0)
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // False once the server has closed its side for good.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void send_no_more() { ::shutdown(fd_, SHUT_WR); }
  // The next byte is there and stays there, or the connection has ended.
  void wait_for_a_byte() {
    char byte = 0;
    EXPECT_EQ(::recv(fd_, &byte, 1, MSG_PEEK), 1);
  }
  // One answer: its header and as many bytes as Content-Length says.
  std::string answer(bool has_text = true) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return std::exchange(received_, "");
    }
    std::size_t size = end + 4;
    const std::size_t length = received_.find("Content-Length: ");
    if (has_text && length < end) size += std::stoul(received_.substr(length + 16));
    while (received_.size() < size && receive()) {
    }
    std::string one = received_.substr(0, size);
    received_.erase(0, size);
    return one;
  }
  // All that comes until the server closes.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(received_, "");
  }

 private:
  bool receive() {
    char bytes[16384];
    const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
    EXPECT_TRUE(count >= 0 || errno == ECONNRESET) << "nothing came, and nobody closed";
    if (count > 0) received_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  int fd_;
  bool connected_ = false;
  std::string received_;
};

std::string one_answer(const Endpoint& endpoint, std::string_view request) {
  Client client(endpoint.port());
  client.send(request);
  return client.answer();
}

std::string status_line(const std::string& answer) { return answer.substr(0, answer.find('\r')); }

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

std::string header_of(const std::string& answer, const std::string& name) {
  const std::string begin = "\r\n" + name + ": ";
  const std::size_t at = answer.find(begin);
  if (at == std::string::npos) return "absent";
  const std::size_t value = at + begin.size();
  return answer.substr(value, answer.find('\r', value) - value);
}

Endpoint::Options hello(milliseconds timeout = milliseconds(60'000)) {
  return {.page =
              [](auto path, auto) {
                using Found = std::optional<Endpoint::Page>;
                return path == "/status" ? Found({"text/html; charset=utf-8", "hello"}) : Found();
              },
          .timeout = timeout};
}

void expect_served(const Endpoint& endpoint) {
  EXPECT_EQ(status_line(one_answer(endpoint, kGood)), "HTTP/1.1 200 OK");
}

std::int64_t resident_bytes() {
  std::ifstream facts("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  facts >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(Endpoint, ServesPagesAndKeepsTheConnection) {
  const Endpoint endpoint(hello());
  EXPECT_EQ(endpoint.address(), "127.0.0.1:" + std::to_string(endpoint.port()));
  Client client(endpoint.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(kGood));
    const std::string answer = client.answer();
    EXPECT_EQ(status_line(answer), "HTTP/1.1 200 OK");
    EXPECT_EQ(body_of(answer), "hello");
    EXPECT_EQ(header_of(answer, "Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(header_of(answer, "Cache-Control"), "no-store");
    EXPECT_EQ(header_of(answer, "X-Content-Type-Options"), "nosniff");
    const std::string policy = header_of(answer, "Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none';")) << policy;
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
    EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  }
  client.send(kHead);
  const std::string head = client.answer(/*has_text=*/false);
  EXPECT_EQ(status_line(head), "HTTP/1.1 200 OK");
  EXPECT_EQ(header_of(head, "Content-Length"), "5");
  client.send("GET /secret?x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_line(client.answer()), "HTTP/1.1 404 Not Found");
  client.send(std::string(kGood) + kGood);
  EXPECT_EQ(body_of(client.answer()), "hello");
  EXPECT_EQ(body_of(client.answer()), "hello");
  client.send("GET /status HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(body_of(client.rest()), "hello") << "HTTP/1.0 is closed after its answer";
}

TEST(Endpoint, RefusesWhatIsNoPlainQuestion) {
  Endpoint::Options options = hello();
  options.token = "sixteen letters.";
  const Endpoint endpoint(options);
  const std::string get = "GET /status HTTP/1.1\r\n";
  const std::string token = "Authorization: Bearer sixteen letters.\r\n";
  const std::string host = "Host: localhost\r\n";
  const std::pair<std::string, std::string> kCases[] = {
      {get + host + token + "\r\n", "HTTP/1.1 200 OK"},
      {get + host + "\r\n", "HTTP/1.1 401 Unauthorized"},
      {get + host + "Authorization: Bearer sixteen letters,\r\n\r\n", "HTTP/1.1 401 Unauthorized"},
      {get + token + "\r\n", "HTTP/1.1 400 Bad Request"},
      {get + "Host: evil.org\r\n" + token + "\r\n", "HTTP/1.1 403 Forbidden"},
      {"POST /status HTTP/1.1\r\n" + host + token + "\r\n", "HTTP/1.1 405 Method Not Allowed"},
      {"BREW /status HTTP/1.1\r\n" + host + token + "\r\n", "HTTP/1.1 405 Method Not Allowed"},
      {"nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {get + host + "Content-Length: -1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {get + host + token + "Content-Length: 5\r\n\r\nhello", "HTTP/1.1 413 Payload Too Large"},
      {get + host + token + "Content-Length: 99999999999\r\n\r\n",
       "HTTP/1.1 413 Payload Too Large"},
      {get + host + token + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
       "HTTP/1.1 413 Payload Too Large"}};
  for (const auto& [request, expected] : kCases) {
    const std::string answer = one_answer(endpoint, request);
    EXPECT_EQ(status_line(answer), expected) << request;
    EXPECT_TRUE(expected.ends_with("OK") || answer.find("letters") == std::string::npos);
  }
  EXPECT_EQ(header_of(one_answer(endpoint, kCases[1].first), "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(header_of(one_answer(endpoint, kCases[5].first), "Allow"), "GET, HEAD");
}

TEST(Endpoint, OffLoopbackItHasAnyName) {
  Endpoint::Options options = hello();
  options.host = "0.0.0.0";
  options.token = "sixteen-letters.";
  const Endpoint endpoint(options);
  const std::string answer = one_answer(
      endpoint,
      "GET /status HTTP/1.1\r\nHost: n7\r\nAuthorization: Bearer sixteen-letters.\r\n\r\n");
  EXPECT_EQ(status_line(answer), "HTTP/1.1 200 OK");
  EXPECT_EQ(status_line(one_answer(endpoint, kGood)), "HTTP/1.1 401 Unauthorized");
}

TEST(Endpoint, ClosesAfterABody) {
  const Endpoint endpoint(hello());
  Client client(endpoint.port());
  client.send("POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n");
  client.send(std::string(50'000, 'x'));
  client.send(kGood);
  client.send_no_more();
  const std::string all = client.rest();
  EXPECT_EQ(status_line(all), "HTTP/1.1 413 Payload Too Large");
  EXPECT_EQ(body_of(all), "a request without a body is expected\n");
}

TEST(Endpoint, AnEndlessHeaderIsRefused) {
  const Endpoint endpoint(hello());
  {
    Client client(endpoint.port());
    client.send("GET /status HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(8000, 'x') +
                "\r\n\r\n");
    EXPECT_EQ(status_line(client.answer()), "HTTP/1.1 200 OK");
  }
  const std::int64_t before = resident_bytes();
  Client client(endpoint.port());
  client.send("GET /status HTTP/1.1\r\nHost: localhost\r\nX: ");
  const std::string part(65'536, 'x');
  std::size_t sent = 0;
  while (sent < 1'000'000'000 && client.send(part)) sent += part.size();
  EXPECT_LT(sent, 100'000'000u) << "what the buffers of both sides hold, and not more";
  EXPECT_LT(resident_bytes() - before, 1 << 24);

  Client other(endpoint.port());
  other.send("GET /status HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'x'));
  EXPECT_EQ(status_line(other.answer()), "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST(Endpoint, AHeaderThatNeverEndsIsCutOff) {
  constexpr milliseconds kTimeout{200};
  const Endpoint endpoint(hello(kTimeout));
  for (const bool after_another : {false, true}) {
    Client client(endpoint.port());
    if (after_another) {
      client.send(kGood);
      EXPECT_EQ(body_of(client.answer()), "hello");
    }
    const auto start = Clock::now();
    client.send("GET /status HTTP/1.1\r\nX: ");
    while (client.send("x") && seconds_since(start) < 60) ::usleep(5000);
    EXPECT_EQ(client.rest(), "");
    EXPECT_GE(seconds_since(start), 0.15);
    EXPECT_LT(seconds_since(start), 60);
  }
  expect_served(endpoint);
}

TEST(Endpoint, AnIdleConnectionIsClosed) {
  const Endpoint endpoint(hello(milliseconds(200)));
  Client silent(endpoint.port()), kept(endpoint.port());
  kept.send(kGood);
  EXPECT_EQ(body_of(kept.answer()), "hello");
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(kept.rest(), "");
}

Endpoint::Options large(milliseconds timeout) {
  return {.page =
              [](auto, auto) {
                return std::optional<Endpoint::Page>({"text/plain", std::string(8'000'000, 'x')});
              },
          .timeout = timeout};
}

TEST(Endpoint, AClientThatDoesNotTakeItsAnswerIsClosed) {
  const Endpoint endpoint(large(milliseconds(300)));
  Client client(endpoint.port(), 4096);
  client.send(kGood);
  client.wait_for_a_byte();
  while (client.send("x")) ::usleep(5000);  // a reset says that it is closed
  EXPECT_LT(client.rest().size(), 8'000'000u);
}

TEST(Endpoint, TheLongestIdleGivesWay) {
  const Endpoint endpoint(hello());
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(std::make_unique<Client>(endpoint.port()));
    ASSERT_TRUE(idle.back()->connected());
    if (i % 3 == 0) idle.back()->send("GET /sta");
    if (i % 10 == 0) expect_served(endpoint);
  }
  expect_served(endpoint);
  for (int i = 0; i < 80; ++i) EXPECT_EQ(idle[static_cast<std::size_t>(i)]->rest(), "");
  for (const int kept : {97, 98}) {
    Client& client = *idle[static_cast<std::size_t>(kept)];
    client.send(kept % 3 == 0 ? "tus HTTP/1.1\r\nHost: localhost\r\n\r\n" : kGood);
    EXPECT_EQ(body_of(client.answer()), "hello") << kept;
  }
}

TEST(Endpoint, WhereNoneIsIdleTheNewOneIsClosed) {
  const Endpoint endpoint(large(milliseconds(60'000)));
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 16; ++i) {
    busy.push_back(std::make_unique<Client>(endpoint.port(), 4096));
    busy.back()->send(kGood);
    busy.back()->wait_for_a_byte();
  }
  Client refused(endpoint.port());
  EXPECT_EQ(refused.rest(), "");
  busy.pop_back();
  std::string answer;
  const auto start = Clock::now();
  while (answer.empty() && seconds_since(start) < 60) {
    Client client(endpoint.port());
    client.send(kHead);
    answer = client.answer(/*has_text=*/false);
  }
  EXPECT_EQ(status_line(answer), "HTTP/1.1 200 OK");
}

// One request is changed in up to four places by a seed: bytes, lines twice or gone, a cut.
std::string changed_request(std::mt19937& random) {
  std::string text =
      "GET /status?a=b HTTP/1.1\r\nHost: localhost:80\r\nAccept: text/html\r\nContent-Length: "
      "0\r\nConnection: keep-alive\r\n\r\n";
  for (unsigned changes = random() % 4 + 1; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      case 2:
        text.erase(at, random() % 8);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 200));
        break;
      case 4:
        text.insert(at, std::string(random() % 3000, "\r\n :;0aT"[random() % 8]));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(Endpoint, TenThousandChangedRequestsDoNoHarm) {
  const Endpoint endpoint(hello());
  std::mt19937 random(20);
  expect_served(endpoint);
  [[maybe_unused]] const std::int64_t before = resident_bytes();
  int served = 0, refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string request = changed_request(random);
    Client client(endpoint.port());
    client.send(request);
    client.send_no_more();
    const std::string answer = client.rest();
    const std::string begin = answer.substr(0, 10);
    served += begin.ends_with(" 2");
    refused += begin.ends_with(" 4");
    EXPECT_TRUE(answer.empty() || begin.ends_with(" 2") || begin.ends_with(" 4")) << request;
  }
  EXPECT_GT(served, 100);
  EXPECT_GT(refused, 1000);
  expect_served(endpoint);
#ifndef __SANITIZE_ADDRESS__  // it keeps what is freed
  EXPECT_LT(resident_bytes() - before, 1 << 24);
#endif
}

// Returns the id of the endpoint's thread; 0: there is none.
int metrics_thread() {
  int found = 0;
  DIR* threads = ::opendir("/proc/self/task");
  while (const dirent* entry = ::readdir(threads)) {
    std::string name;
    std::getline(
        std::ifstream(std::string("/proc/self/task/") + entry->d_name + "/comm") >> std::ws, name);
    if (name == "metrics") found = std::atoi(entry->d_name);
  }
  ::closedir(threads);
  return found;
}

TEST(Endpoint, ItsThreadGivesWayAndTakesNoSignals) {
  {
    const Endpoint endpoint(hello());
    expect_served(endpoint);
    const int thread = metrics_thread();
    ASSERT_NE(thread, 0);
    EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(thread)), 19);
    EXPECT_NE(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 19);
    std::ifstream facts("/proc/self/task/" + std::to_string(thread) + "/status");
    std::string line, blocked;
    while (std::getline(facts, line)) {
      if (line.starts_with("SigBlk:")) blocked = line;
    }
    const auto signals = std::stoull(blocked.substr(7), nullptr, 16);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGCHLD})
      EXPECT_TRUE(signals >> (signal - 1) & 1) << signal;
  }
  EXPECT_EQ(metrics_thread(), 0);
}

TEST(Endpoint, OutOfDescriptorsItWaits) {
  const Endpoint endpoint(hello());
  expect_served(endpoint);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  Client good(endpoint.port());  // accepted, so that what follows has one place less
  good.send(kGood);
  EXPECT_EQ(body_of(good.answer()), "hello");
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  const rlimit none{.rlim_cur = static_cast<rlim_t>(client) + 1, .rlim_max = before.rlim_max};
  std::vector<int> fill;
  for (int fd = ::dup(0); fd >= 0 && fd < client; fd = ::dup(0)) fill.push_back(fd);
  ::setrlimit(RLIMIT_NOFILE, &none);
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) fill.push_back(fd);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(endpoint.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::send(client, kGood, std::string_view(kGood).size(), MSG_NOSIGNAL);
  rusage used_before{}, used{};
  ::getrusage(RUSAGE_SELF, &used_before);
  ::usleep(300'000);
  ::getrusage(RUSAGE_SELF, &used);
  const auto micros = [](const timeval& time) { return 1'000'000 * time.tv_sec + time.tv_usec; };
  EXPECT_LT(micros(used.ru_utime) + micros(used.ru_stime) - micros(used_before.ru_utime) -
                micros(used_before.ru_stime),
            150'000);
  good.send(kGood);
  EXPECT_EQ(body_of(good.answer()), "hello") << "those that are connected are served";
  ::setrlimit(RLIMIT_NOFILE, &before);
  for (const int fd : fill) ::close(fd);
  const timeval timeout{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  char byte = 0;
  EXPECT_EQ(::recv(client, &byte, 1, 0), 1) << "the client that waited is served";
  ::close(client);
}

TEST(Endpoint, EndsWithConnectionsOfEachKind) {
  std::vector<std::unique_ptr<Client>> clients;
  {
    const Endpoint endpoint(large(milliseconds(60'000)));
    for (const char* begin :
         {"", "GET /st", kGood, "HEAD / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n"}) {
      clients.push_back(std::make_unique<Client>(endpoint.port(), 4096));
      clients.back()->send(begin);
    }
    clients[2]->wait_for_a_byte();
  }
  for (auto& client : clients) EXPECT_LT(client->rest().size(), 8'000'000u);
}

std::string refusal_of(const std::string& host, int port) {
  Endpoint::Options options = hello();
  options.host = host;
  options.port = port;
  try {
    const Endpoint endpoint(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kSystem);
    return error.record().what;
  }
  return "none";
}

TEST(Endpoint, SaysWhyItCannotListen) {
  const Endpoint taken(hello());
  const std::string port = std::to_string(taken.port());
  EXPECT_EQ(refusal_of("127.0.0.1", taken.port()),
            "the metrics page cannot listen on 127.0.0.1, "
            "port " +
                port + ": Address already in use");
  EXPECT_EQ(refusal_of("192.0.2.1", 0),
            "the metrics page cannot listen on 192.0.2.1, port 0: Cannot assign requested address");
  const std::string unknown = refusal_of("no.such.host.invalid", 0);
  EXPECT_NE(unknown.find("no.such.host.invalid, port 0: "), std::string::npos) << unknown;
}

TEST(Endpoint, TakesItsPortAgainAtOnce) {
  Endpoint::Options options = hello();
  for (int i = 0; i < 3; ++i) {
    const Endpoint endpoint(options);
    options.port = endpoint.port();
    expect_served(endpoint);
  }
}

TEST(Endpoint, AnIpv6AddressStandsInBrackets) {
  std::ifstream has_v6("/proc/net/if_inet6");
  std::string line;
  bool has_loopback = false;
  while (std::getline(has_v6, line)) has_loopback = has_loopback || line.ends_with(" lo");
  if (!has_loopback) GTEST_SKIP() << "no IPv6 here";
  Endpoint::Options options = hello();
  options.host = "::1";
  const Endpoint endpoint(options);
  EXPECT_EQ(endpoint.address(), "[::1]:" + std::to_string(endpoint.port()));
}

}  // namespace
}  // namespace scalemark::live
