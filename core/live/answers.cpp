#include "core/live/answers.h"

#include <algorithm>
#include <cstddef>

#include "core/base/digest.h"

namespace scalemark::live {
namespace {

using Clock = std::chrono::steady_clock;

bool same_letters(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, small, small);
}

// The name in a Host header, an IPv6 address without its brackets; empty for an invalid header.
std::string_view name_in(std::string_view header) {
  const bool has_brackets = header.starts_with('[');
  const std::size_t end = header.find(has_brackets ? ']' : ':');
  if (end == std::string_view::npos) return has_brackets ? "" : header;
  std::string_view port = header.substr(end + (has_brackets ? 1 : 0));
  if (port.starts_with(':')) port.remove_prefix(1);
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return header.substr(has_brackets ? 1 : 0, end - (has_brackets ? 1 : 0));
}

struct Target {
  std::string_view authority;  // host and port; empty: it names none
  std::string_view path;       // without its query
};

// A client may send the whole URL, as it does to a proxy, and every server must take it (RFC 9112,
// 3.2.2).
Target target_in(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  Target target;
  if (same_letters(text.substr(0, kScheme.size()), kScheme)) {
    text.remove_prefix(kScheme.size());
    target.authority = text.substr(0, text.find_first_of("/?"));
    text.remove_prefix(target.authority.size());
    if (!text.starts_with('/')) text = "/";
  }
  target.path = text.substr(0, text.find('?'));
  return target;
}

// Takes the same time wherever they differ.
bool same_digests(const std::string& a, const std::string& b) {
  unsigned differences = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return differences == 0;
}

// A page is one text, asks nobody but this endpoint, and stands in no other page.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

Answer refusal(int status, const std::string& line) {
  return {
      .status = status, .type = "text/plain; charset=utf-8", .text = line + "\n", .headers = {}};
}

Answers::Answers(const Endpoint::Options& options, bool on_loopback)
    : host_(options.host),
      digest_(options.token.empty() ? "" : sha256_hex(options.token)),
      on_loopback_(on_loopback),
      make_(options.page) {}

Answer Answers::answer(const Request& request) {
  if (on_loopback_) {
    if (request.hosts.size() != 1) return refusal(400, "one Host header is needed");
    // The host of a whole URL replaces that of the header (RFC 9112, 3.2.2).
    const std::string_view of_target = target_in(request.target).authority;
    const std::string_view name = name_in(of_target.empty() ? request.hosts.front() : of_target);
    if (!is_loopback(name) && !same_letters(name, host_))
      return refusal(403, "the Host header names another machine");
  }
  if (!has_token(request.authorization)) {
    Answer answer = refusal(401, "the token of --metrics-token is needed");
    answer.headers = {{"WWW-Authenticate", "Bearer"}};
    return answer;
  }
  if (request.has_body) return refusal(413, "a request without a body is expected");
  if (request.method != "GET" && request.method != "HEAD") {
    Answer answer = refusal(405, "GET and HEAD are allowed");
    answer.headers = {{"Allow", "GET, HEAD"}};
    return answer;
  }
  return page_answer(request);
}

bool Answers::has_token(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (digest_.empty()) return true;
  const bool has_scheme = same_letters(authorization.substr(0, kScheme.size()), kScheme);
  const auto token = has_scheme ? authorization.substr(kScheme.size()) : std::string_view();
  return same_digests(sha256_hex(token), digest_);
}

Answer Answers::page_answer(const Request& request) {
  std::optional<Endpoint::Page> made;
  try {
    made = page(target_in(request.target).path, request.accept);
  } catch (...) {
    return refusal(500, "this page cannot be made now");
  }
  if (!made) return refusal(404, "there is no such page");
  Answer answer{.status = 200, .type = made->type, .text = std::move(made->text), .headers = {}};
  if (answer.type.starts_with("text/html")) answer.headers = {{"Content-Security-Policy", kPolicy}};
  return answer;
}

// A page that was just made serves again: asking faster costs no more of the run.
std::optional<Endpoint::Page> Answers::page(std::string_view path, std::string_view accept) {
  constexpr std::size_t kMostKept = 4;
  constexpr std::chrono::milliseconds kLife{100};
  std::erase_if(kept_, [&](const Kept& one) { return Clock::now() - one.made > kLife; });
  for (const Kept& one : kept_) {
    if (one.path == path && one.accept == accept) return one.page;
  }
  std::optional<Endpoint::Page> made = make_(path, accept);
  if (!made) return made;
  if (kept_.size() == kMostKept) kept_.erase(kept_.begin());
  kept_.push_back({std::string(path), std::string(accept), *made, Clock::now()});
  return made;
}

}  // namespace scalemark::live
