#include "engine/distributed/network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/bounded.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

struct Resolved {
  int code = 0;
  std::vector<Address> addresses;
};

Resolved resolve(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  Resolved resolved;
  resolved.code = getaddrinfo(host.c_str(), port.c_str(), &wanted, &list);
  if (resolved.code != 0) return resolved;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  for (const addrinfo* entry = list; entry; entry = entry->ai_next) {
    Address address;
    address.length = entry->ai_addrlen;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    resolved.addresses.push_back(address);
  }
  return resolved;
}

std::vector<Address> resolve_or_throw(const std::string& host, const std::string& port,
                                      std::chrono::milliseconds limit) {
  const auto resolved = within(limit, [host, port] { return resolve(host, port); });
  if (!resolved) {
    throw rendezvous_error("the name " + host + " was not resolved within " + in_seconds(limit), {},
                           "check the name service, or give the address as numbers");
  }
  if (resolved->code != 0) {
    throw rendezvous_error(
        "cannot resolve the rendezvous address " + host + ": " + gai_strerror(resolved->code), {},
        "pass --rendezvous HOST:PORT with a name or address that every rank can reach");
  }
  return resolved->addresses;
}

class Socket {
 public:
  explicit Socket(int family) : descriptor_(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Connecting a datagram socket sends nothing; it only makes the kernel choose a source address.
std::optional<Address> source_address_towards(const Address& target) {
  const Socket socket(target.storage.ss_family);
  const auto* raw = reinterpret_cast<const sockaddr*>(&target.storage);
  if (socket.get() < 0 || connect(socket.get(), raw, target.length) != 0) return std::nullopt;
  Address source;
  source.length = sizeof source.storage;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&source.storage), &source.length) !=
      0) {
    return std::nullopt;
  }
  return source;
}

bool same_address(const sockaddr* a, const sockaddr* b) {
  if (!a || a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return a->sa_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

std::optional<std::string> interface_of(const Address& address) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (same_address(entry->ifa_addr, reinterpret_cast<const sockaddr*>(&address.storage))) {
      return entry->ifa_name;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string local_host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

void require_resolvable(const std::string& host, std::chrono::milliseconds limit) {
  resolve_or_throw(host, "0", limit);
}

std::string interface_towards(const std::string& host, std::uint16_t port,
                              std::chrono::milliseconds limit) {
  for (const Address& target : resolve_or_throw(host, std::to_string(port), limit)) {
    const auto source = source_address_towards(target);
    if (!source) continue;
    if (auto name = interface_of(*source)) return *name;
  }
  throw rendezvous_error("no network interface of this host leads to " + host, {},
                         "name the interface in GLOO_SOCKET_IFNAME");
}

}  // namespace scalemark::distributed
