#include "core/launch/descriptor_message.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace scalemark::launching {
namespace {

constexpr std::size_t kMostBytes = 128 << 10;
constexpr std::size_t kMostDescriptors = 4;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw system_error("the path " + path + " is too long for a socket", {},
                       "set TMPDIR to a folder with a shorter path");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Descriptor local_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

Error failed(const std::string& what, const std::string& path) {
  return system_error("cannot " + what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

Descriptor listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket = local_socket();
  if (!socket.open() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    throw failed("listen at", path);
  }
  return socket;
}

Descriptor connect_to(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor socket = local_socket();
  if (!socket.open() ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw failed("connect to", path);
  }
  return socket;
}

bool send_message(int socket, const std::string& bytes, const std::vector<int>& descriptors) {
  iovec data{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{.msg_iov = &data, .msg_iovlen = 1};
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size() * sizeof(int);
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<DescriptorMessage> receive_message(int socket, bool* nothing_yet) {
  DescriptorMessage received;
  received.bytes.resize(kMostBytes);
  iovec data{.iov_base = received.bytes.data(), .iov_len = received.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (nothing_yet != nullptr) *nothing_yet = count < 0 && errno == EAGAIN;
  if (count <= 0) return std::nullopt;
  received.bytes.resize(static_cast<std::size_t>(count));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t fds = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < fds; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      received.descriptors.emplace_back(fd);
    }
  }
  return received;
}

}  // namespace scalemark::launching
