// An HTTP server for the pages of a run, in a thread of its own that gives way to all others. It
// bounds what a client can cost in time, memory and connections. Knows no page.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::live {

// localhost, 127.0.0.0/8 and ::1, as they are typed: no name is resolved.
bool is_loopback(std::string_view host);

// Answers GET and HEAD. On a loopback address the Host header has to name a loopback address, or
// the host as given: so a page of another site cannot make a browser read it through a name of its
// own.
class Endpoint {
 public:
  struct Page {
    std::string type, text;  // media type with its charset
  };
  struct Options {
    std::string host = "127.0.0.1";  // a name or address, IPv6 as ::1
    int port = 0;                    // 0: any that is free
    std::string token;               // a client has to give it as Bearer; empty: none is asked for
    // Returns the page of a path, or nothing where there is none. `accept`: the header of that
    // name. The endpoint's thread calls it, at most 10 times a second with the same arguments. An
    // exception becomes an answer 500.
    std::function<std::optional<Page>(std::string_view path, std::string_view accept)> page;
    // The same thread calls it when a client has received all of the page of this path; may be
    // empty.
    std::function<void(std::string_view path)> answered;
    // The time within which a request has to be complete, an answer read, the next request begun.
    std::chrono::milliseconds timeout{5000};
  };

  // Listens. Throws system_error() (71) where the address is taken, not of this machine, or
  // unknown.
  explicit Endpoint(Options options);
  ~Endpoint();  // ends connections and thread at once

  int port() const;
  std::string address() const;  // "127.0.0.1:29400", "[::1]:29400": the host as given

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace scalemark::live
