#include "engine/distributed/network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_name.h"
#include "engine/distributed/clock.h"
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
  explicit Socket(int family, int type = SOCK_DGRAM)
      : descriptor_(socket(family, type | SOCK_CLOEXEC, 0)) {}
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

struct Interface {
  std::string name;
  bool loopback = false;
};

using InterfaceList = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

InterfaceList list_interfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) list = nullptr;
  return {list, &freeifaddrs};
}

std::optional<Interface> interface_of(const Address& address) {
  const auto owner = list_interfaces();
  for (const ifaddrs* entry = owner.get(); entry; entry = entry->ifa_next) {
    if (same_address(entry->ifa_addr, reinterpret_cast<const sockaddr*>(&address.storage))) {
      return Interface{entry->ifa_name, (entry->ifa_flags & IFF_LOOPBACK) != 0};
    }
  }
  return std::nullopt;
}

std::optional<std::string> first_interface(const std::vector<Address>& targets, bool loopback_too) {
  for (const Address& target : targets) {
    const auto source = source_address_towards(target);
    const auto found = source ? interface_of(*source) : std::nullopt;
    if (found && (loopback_too || !found->loopback)) return found->name;
  }
  return std::nullopt;
}

// Asks for the way to an address reserved for documentation (RFC 5737), which leads over the
// default route, if there is one.
std::optional<std::string> interface_outward() {
  return first_interface(resolve("192.0.2.1", "9").addresses, false);
}

// Cluster nodes without a default route need this.
std::optional<std::string> only_interface() {
  std::set<std::string> names;
  const auto owner = list_interfaces();
  for (const ifaddrs* entry = owner.get(); entry; entry = entry->ifa_next) {
    const bool up = (entry->ifa_flags & IFF_UP) && (entry->ifa_flags & IFF_RUNNING);
    const bool internet = entry->ifa_addr && entry->ifa_addr->sa_family == AF_INET;
    if (up && internet && !(entry->ifa_flags & IFF_LOOPBACK)) names.insert(entry->ifa_name);
  }
  return names.size() == 1 ? std::optional(*names.begin()) : std::nullopt;
}

constexpr int kAnswerLimit_ms = 1000;

bool becomes_ready(int socket, short events) {
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  return poll(&polled, 1, kAnswerLimit_ms) > 0;
}

// Returns 0, or the reason as errno.
int connect_soon(const Socket& socket, const Address& target) {
  const auto* raw = reinterpret_cast<const sockaddr*>(&target.storage);
  if (connect(socket.get(), raw, target.length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!becomes_ready(socket.get(), POLLOUT)) return ETIMEDOUT;
  int failure = 0;
  socklen_t size = sizeof failure;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
  return failure;
}

std::string first_line_said(const Socket& socket) {
  constexpr std::string_view kQuestion = "GET / HTTP/1.0\r\n\r\n";
  char text[80];
  if (send(socket.get(), kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0 ||
      !becomes_ready(socket.get(), POLLIN)) {
    return "";
  }
  const auto count = recv(socket.get(), text, sizeof text, 0);
  const std::string said(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  return said.substr(0, said.find_first_of("\r\n"));
}

std::string interface_between_hosts(const std::vector<Address>& targets, const std::string& host) {
  if (const auto name = first_interface(targets, false)) return *name;
  if (const auto name = interface_outward()) return *name;
  if (const auto name = only_interface()) return *name;
  throw configuration(
      "the ranks are on several hosts, and here " + host +
          " leads to no interface but the loopback one, which the others cannot reach",
      "an interface that leads to the other hosts",
      "name it in GLOO_SOCKET_IFNAME, or give the host's own address in /etc/hosts (some systems "
      "write 127.0.1.1 there) or in --rendezvous");
}

bool means_this_machine(const std::string& host) {
  return host == "127.0.0.1" || host == "localhost" || host == "::1";
}

}  // namespace

void require_route(const std::string& host, std::chrono::milliseconds limit) {
  const auto targets = resolve_or_throw(host, "9", limit);
  const auto reachable = [](const Address& target) {
    return source_address_towards(target).has_value();
  };
  if (std::ranges::any_of(targets, reachable)) return;
  throw rendezvous_error("no route of this host leads to the rendezvous address " + host, {},
                         "`ip route get` asks the kernel; --rendezvous HOST:PORT gives another");
}

// To one of its own addresses a host sends from that address, or from 127.0.0.1.
bool leads_here(const std::string& host) {
  return std::ranges::any_of(resolve(host, "9").addresses, [](const Address& target) {
    const auto source = source_address_towards(target);
    if (!source) return false;
    const auto* from = reinterpret_cast<const sockaddr*>(&source->storage);
    const auto found = interface_of(*source);
    return same_address(reinterpret_cast<const sockaddr*>(&target.storage), from) ||
           (found && found->loopback);
  });
}

Answer answer_at(const std::string& host, std::uint16_t port) {
  Answer answer{.failure = "its name does not resolve", .line = ""};
  for (const Address& target : resolve(host, std::to_string(port)).addresses) {
    const Socket socket(target.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK);
    const int failure = connect_soon(socket, target);
    answer.failure = failure == 0 ? "" : std::strerror(failure);
    if (failure == 0) answer.line = first_line_said(socket);
    if (failure == 0) break;
  }
  return answer;
}

std::string interface_towards(const std::string& host, std::uint16_t port, bool several,
                              std::chrono::milliseconds limit) {
  const auto targets = resolve_or_throw(host, std::to_string(port), limit);
  if (several && !means_this_machine(host)) return interface_between_hosts(targets, host);
  if (const auto name = first_interface(targets, true)) return *name;
  throw rendezvous_error("no network interface of this host leads to " + host, {},
                         "name the interface in GLOO_SOCKET_IFNAME");
}

void require_loopback() {
  const auto owner = list_interfaces();
  for (const ifaddrs* entry = owner.get(); entry; entry = entry->ifa_next) {
    const bool internet = entry->ifa_addr && (entry->ifa_addr->sa_family == AF_INET ||
                                              entry->ifa_addr->sa_family == AF_INET6);
    if (internet && (entry->ifa_flags & IFF_UP) && std::string_view(entry->ifa_name) == "lo")
      return;
  }
  throw system_error("the loopback interface lo is down or has no address",
                     "ranks on one host talk over it", "`ip link set lo up`");
}

std::string interface_of_own_name(std::chrono::milliseconds limit) {
  const std::string own = host_name();
  const auto resolved = within(limit, [own] { return resolve(own, "9"); });
  return interface_between_hosts(resolved ? resolved->addresses : std::vector<Address>(), own);
}

}  // namespace scalemark::distributed
