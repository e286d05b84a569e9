// The loop of the programs that tests in Python ask about pixels: a line is a request, a header
// line and, with pixels, their bytes are the reply. Knows no request.
#pragma once

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>

#include "core/base/error.h"
#include "data/images/decode.h"

namespace scalemark::data {

struct Answer {
  std::string header;
  Pixels pixels;
};

// answer(request) of each line of standard input; an Error it throws is the reply "error <line>".
template <class Call>
void answer_requests(const Call& answer) {
  const auto reply_to = [&](const std::string& request) -> Answer {
    try {
      return answer(request);
    } catch (const Error& error) {
      return {.header = "error " + format_error_line(error.record())};
    }
  };
  for (std::string request; std::getline(std::cin, request);) {
    const Answer reply = reply_to(request);
    std::printf("%s\n", reply.header.c_str());
    if (reply.pixels.bytes != nullptr) {
      std::fwrite(reply.pixels.row(0), 1,
                  reply.pixels.stride() * static_cast<std::size_t>(reply.pixels.height), stdout);
    }
    std::fflush(stdout);
  }
}

}  // namespace scalemark::data
