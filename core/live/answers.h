// The answers of a run's HTTP endpoint: who may ask for what, and the pages, of which the newest
// are kept for a moment. Knows no connection and no HTTP library.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/live/endpoint.h"

namespace scalemark::live {

struct Request {
  std::string_view method, target, accept, authorization;
  std::vector<std::string_view> hosts;  // values of its Host headers
  bool has_body = false;
};

struct Answer {
  int status = 200;
  std::string type, text;
  std::vector<std::pair<std::string, std::string>> headers;
};

// One plain line, which quotes nothing of a request.
Answer refusal(int status, const std::string& line);

class Answers {
 public:
  // `on_loopback`: the Host header is checked.
  Answers(const Endpoint::Options& options, bool on_loopback);

  Answer answer(const Request& request);

 private:
  struct Kept {
    std::string path, accept;
    Endpoint::Page page;
    std::chrono::steady_clock::time_point made;
  };

  bool has_token(std::string_view authorization) const;
  Answer page_answer(const Request& request);
  std::optional<Endpoint::Page> page(std::string_view path, std::string_view accept);

  std::string host_, digest_;
  bool on_loopback_;
  decltype(Endpoint::Options::page) make_;
  std::vector<Kept> kept_;
};

}  // namespace scalemark::live
