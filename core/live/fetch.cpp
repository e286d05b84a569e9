#include "core/live/fetch.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cstddef>
#include <cstdint>
#include <future>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/threads.h"

namespace scalemark::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostBytes = 64 << 20;

struct Place {
  std::string host, port = "80", path = "/status";
  std::string name;  // "n7:29400", as the URL has it
};

Error no_url_of_ours(const std::string& url) {
  return usage("'" + url + "' is no URL of a run's page", "http://HOST:PORT is expected",
               "over https or from afar: `ssh -L 29400:localhost:29400 HOST`, then "
               "http://localhost:29400");
}

bool is_port(std::string_view text) {
  const int port = whole_number(text).value_or(0);
  return port > 0 && port < 65536;
}

// Blanks and control characters could end the line of the request in which the text is sent.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Place place_of(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme) || !is_plain(url)) throw no_url_of_ours(url);
  const std::string rest = url.substr(kScheme.size());
  Place place{.host = {}, .name = rest.substr(0, rest.find_first_of("/?#"))};
  if (rest.size() > place.name.size() + 1) place.path = rest.substr(place.name.size());
  const bool has_brackets = place.name.starts_with('[');
  const std::size_t end = std::min(place.name.find(has_brackets ? ']' : ':'), place.name.size());
  place.host = place.name.substr(has_brackets ? 1 : 0, end - (has_brackets ? 1 : 0));
  const std::string port =
      place.name.substr(std::min(end + (has_brackets ? 1 : 0), place.name.size()));
  if (!port.empty()) place.port = port.substr(1);
  const bool has_end = !has_brackets || end < place.name.size();
  const bool is_port_after_colon = port.empty() || (port.front() == ':' && is_port(place.port));
  if (place.host.empty() || place.host.find('@') != std::string::npos || !has_end ||
      !is_port_after_colon || place.path.front() != '/')
    throw no_url_of_ours(url);
  return place;
}

Error not_in_time(const Place& place, milliseconds limit) {
  return no_input(place.name + " has not answered within " +
                      seconds_text(std::chrono::duration<double>(limit).count()),
                  "a run with --metrics-port is expected there");
}

struct Found {
  beast::error_code failed;
  tcp::resolver::results_type addresses;
};

// A name server may take longer than we wait. The look-up then ends by itself, in its own thread.
tcp::resolver::results_type addresses_of(const Place& place, milliseconds limit) {
  std::packaged_task<Found()> look_up([host = place.host, port = place.port] {
    asio::io_context io{1};
    Found found;
    found.addresses =
        tcp::resolver(io).resolve(host, port, tcp::resolver::numeric_service, found.failed);
    return found;
  });
  std::future<Found> result = look_up.get_future();
  quiet_thread(std::move(look_up)).detach();
  if (result.wait_for(limit) != std::future_status::ready) throw not_in_time(place, limit);
  Found found = result.get();
  if (!found.failed) return std::move(found.addresses);
  throw no_input("the name " + place.host + " is not known: " + found.failed.message());
}

Error failure_at(const Place& place, milliseconds limit, beast::error_code failed) {
  if (failed == beast::error::timeout) return not_in_time(place, limit);
  if (failed == http::error::body_limit)
    return bad_data(place.name + place.path + " is larger than 64 MiB", "a status is expected");
  const bool is_cut =
      failed == http::error::end_of_stream || failed == http::error::partial_message;
  if (!is_cut && failed.category() == make_error_code(http::error::bad_method).category())
    return bad_data(place.name + " does not speak HTTP: " + failed.message(),
                    "a run with --metrics-port is expected there");
  return no_input("cannot read from " + place.name + ": " + failed.message(),
                  "a run with --metrics-port is expected there");
}

Error refused_by(const Place& place, unsigned status, bool has_token) {
  if (status != 401) {
    return bad_data(place.name + place.path + " was answered with " + std::to_string(status),
                    "200 and a page is expected");
  }
  return make_error("E_PERMISSION", ExitCode::kPermission, ErrorDomain::kNetwork,
                    place.name + (has_token ? " has another token than that of --metrics-token"
                                            : " asks for a token"),
                    "--metrics-token FILE with the run's own secret");
}

http::request<http::empty_body> request_for(const Place& place, const std::string& token) {
  http::request<http::empty_body> request{http::verb::get, place.path, 11};
  request.set(http::field::host, place.name);
  request.set(http::field::connection, "close");
  if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
  return request;
}

}  // namespace

bool is_url(std::string_view text) { return text.find("://") != std::string_view::npos; }

std::string fetch(const std::string& url, const std::string& token, milliseconds limit) {
  const Place place = place_of(url);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto addresses = addresses_of(place, limit);
  asio::io_context io{1};
  beast::tcp_stream stream(io);
  stream.expires_at(deadline);
  const auto finish = [&](auto begin) {
    beast::error_code result;
    begin([&result](beast::error_code failed, auto&&...) { result = failed; });
    io.restart();
    // The stream's own deadline is for one read, and an answer without end always has a next one.
    io.run_until(deadline);
    if (!io.stopped()) throw not_in_time(place, limit);
    if (result) throw failure_at(place, limit, result);
  };
  const auto request = request_for(place, token);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostBytes);
  finish([&](auto then) { stream.async_connect(addresses, then); });
  finish([&](auto then) { http::async_write(stream, request, then); });
  finish([&](auto then) { http::async_read(stream, buffer, parser, then); });
  if (parser.get().result_int() != 200)
    throw refused_by(place, parser.get().result_int(), !token.empty());
  return std::move(parser.get().body());
}

}  // namespace scalemark::live
