#include "core/live/endpoint.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/live/answers.h"

namespace scalemark::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Parser = http::request_parser<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr std::size_t kMostConnections = 16, kMostHeader = 8192, kMostDropped = 65536;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

// The answer to what is no request; absent where the client has gone or has used up its time.
std::optional<Answer> answer_to_failure(beast::error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refusal(431, "a header of at most 8 KiB");
  const bool is_malformed =
      error.category() == make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message;
  if (!is_malformed) return std::nullopt;
  return refusal(400, "this is no HTTP request");
}

Request request_of(const Parser& parser) {
  const auto& request = parser.get();
  const auto of = [&](http::field name) { return view_of(request[name]); };
  Request all{.method = view_of(request.method_string()),
              .target = view_of(request.target()),
              .accept = of(http::field::accept),
              .authorization = of(http::field::authorization),
              .hosts = {}};
  const auto [first, end] = request.equal_range(http::field::host);
  for (auto host = first; host != end; ++host) all.hosts.push_back(view_of(host->value()));
  all.has_body =
      parser.content_length().value_or(0) > 0 || request.count(http::field::transfer_encoding) > 0;
  return all;
}

Response response_of(Answer answer) {
  const auto letters = [](const std::string& text) {
    return beast::string_view(text.data(), text.size());
  };
  Response response{http::int_to_status(static_cast<unsigned>(answer.status)), 11,
                    std::move(answer.text)};
  response.set(http::field::content_type, letters(answer.type));
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer.headers) response.set(letters(name), letters(value));
  return response;
}

}  // namespace

class Endpoint::Server {
 public:
  explicit Server(const Options& options)
      : host_(options.host), timeout_(options.timeout), answered_(options.answered) {
    listen(options.port);
    answers_.emplace(options, acceptor_.local_endpoint().address().is_loopback());
    accept();
    thread_ = quiet_thread([this] { serve(); });
  }
  ~Server() {
    io_.stop();
    thread_.join();
  }

  std::string host() const { return host_; }
  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  class Connection;

  void listen(int port);
  void serve();
  void accept();
  void admit(tcp::socket socket);
  bool make_room();

  std::string host_;
  std::chrono::milliseconds timeout_;
  std::function<void(std::string_view path)> answered_;
  std::optional<Answers> answers_;
  std::vector<Connection*> connections_;  // the operation that a connection waits for owns it
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  bool accepts_ = false;  // the next client is waited for
  std::thread thread_;
};

// A client's connection: it reads a request, sends the answer, and so on.
class Endpoint::Server::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    server_.connections_.push_back(this);
  }
  ~Connection() { close(); }

  // Since when the client has owed a request; absent while one is answered.
  std::optional<Clock::time_point> idle_since() const { return idle_since_; }

  void close() {
    std::erase(server_.connections_, this);
    stream_.close();
  }

  void read_request() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    // A body is refused later, as such. Beast 1.74 takes a limit of 0 for "no limit".
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.expires_after(server_.timeout_);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              self->answer_request(error);
                            });
  }

 private:
  void answer_request(beast::error_code error) {
    std::optional<Answer> answer = answer_to_failure(error);
    const Request request = error ? Request() : request_of(*parser_);
    if (!error) answer = server_.answers_->answer(request);
    if (!answer) return;
    path_ = answer->status == 200 ? std::string(request.target.substr(0, request.target.find('?')))
                                  : "";
    response_ = response_of(std::move(*answer));
    response_.version(error ? 11 : parser_->get().version());
    response_.keep_alive(!error && parser_->keep_alive() && !request.has_body);
    response_.prepare_payload();
    if (request.method == "HEAD") response_.body().clear();
    idle_since_.reset();
    stream_.expires_after(server_.timeout_);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code failed, std::size_t) {
                        if (failed) return;
                        if (!self->path_.empty() && self->server_.answered_)
                          self->server_.answered_(self->path_);
                        self->go_on();
                      });
  }

  void go_on() {
    idle_since_ = Clock::now();
    stream_.expires_after(server_.timeout_);
    if (!response_.keep_alive()) {
      beast::error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      drop(kMostDropped);
    } else if (buffer_.size() > 0) {
      read_request();
    } else {  // waits for a first byte: from there the time of a request counts
      stream_.async_read_some(
          buffer_.prepare(kMostHeader),
          [self = shared_from_this()](beast::error_code failed, std::size_t bytes) {
            if (failed) return;
            self->buffer_.commit(bytes);
            self->read_request();
          });
    }
  }

  // Reads what the client still sends, within bounds: closing at once could take the answer away
  // before the client has read it.
  void drop(std::size_t most) {
    buffer_.clear();
    stream_.async_read_some(
        buffer_.prepare(kMostHeader),
        [self = shared_from_this(), most](beast::error_code failed, std::size_t bytes) {
          if (!failed && bytes < most) self->drop(most - bytes);
        });
  }

  Server& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader};
  std::optional<Parser> parser_;
  Response response_;
  std::string path_;  // names the page that the answer holds; empty: it holds none
  std::optional<Clock::time_point> idle_since_ = Clock::now();
};

void Endpoint::Server::listen(int port) {
  const auto refused = [&](const beast::error_code& error) {
    return system_error("the metrics page cannot listen on " + host_ + ", port " +
                            std::to_string(port) + ": " + error.message(),
                        "an address of this machine with a free port",
                        "--metrics-port auto takes any port that is free");
  };
  beast::error_code failed;
  const auto addresses = tcp::resolver(io_).resolve(
      host_, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, failed);
  if (failed) throw refused(failed);
  // A name may have an address of a family that this machine lacks: then the next one is tried.
  // After an address that is taken none is: clients of the name would reach whoever has it.
  for (const tcp::endpoint address : addresses) {
    failed.clear();
    if (acceptor_.is_open()) acceptor_.close();
    acceptor_.open(address.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor_.bind(address, failed);
    if (!failed) acceptor_.listen(tcp::acceptor::max_listen_connections, failed);
    if (!failed || failed == asio::error::address_in_use) break;
  }
  if (failed) throw refused(failed);
  ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
}

void Endpoint::Server::serve() {
  const WatchingThread watching;
  be_least_urgent("metrics");
  while (true) {
    try {
      if (!accepts_) accept();
      io_.run();
      return;
    } catch (...) {
      // Memory ran out. The connection that needed it is closed already; the others are served on.
    }
  }
}

// `accepts_` keeps serve() from a second accept while this one waits for a client or for its pause.
void Endpoint::Server::accept() {
  acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
    accepts_ = false;
    if (!error) {
      admit(std::move(socket));
      return accept();
    }
    // There are no descriptors left. The client waits until one is free.
    constexpr std::chrono::milliseconds kPause{100};
    pause_.expires_after(kPause);
    pause_.async_wait([this](beast::error_code) { accept(); });
    accepts_ = true;
  });
  accepts_ = true;
}

void Endpoint::Server::admit(tcp::socket socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  beast::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (connections_.size() == kMostConnections && !make_room()) return;
  try {
    std::make_shared<Connection>(*this, std::move(socket))->read_request();
  } catch (...) {
    // There is no memory for this client, which is dropped; the next one may find some.
  }
}

// Closes the connection that has been idle for longest; false where none is.
bool Endpoint::Server::make_room() {
  const auto rank = [](const Connection* one) {
    return one->idle_since().value_or(Clock::time_point::max());
  };
  Connection* oldest = *std::ranges::min_element(connections_, {}, rank);
  if (!oldest->idle_since()) return false;
  oldest->close();
  return true;
}

bool is_loopback(std::string_view host) {
  beast::error_code failed;
  const auto address = asio::ip::make_address(std::string(host), failed);
  const bool is_name = beast::iequals({host.data(), host.size()}, "localhost");
  return failed ? is_name : address.is_loopback();
}

Endpoint::Endpoint(Options options) try : server_(std::make_unique<Server>(options)) {
} catch (const Error&) {
  throw;
} catch (const std::runtime_error& error) {
  throw system_error(std::string("the metrics page cannot start: ") + error.what(), {},
                     "see `ulimit -n` and `ulimit -u`");
}
Endpoint::~Endpoint() = default;
int Endpoint::port() const { return server_->port(); }
std::string Endpoint::address() const {
  const bool is_v6 = server_->host().find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + server_->host() + "]" : server_->host();
  return host + ":" + std::to_string(port());
}

}  // namespace scalemark::live
