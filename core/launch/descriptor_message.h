// One message over a local socket, with open descriptors in it. Knows nothing of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"

namespace scalemark::launching {

struct DescriptorMessage {
  std::string bytes;
  std::vector<Descriptor> descriptors;
};

// A SOCK_SEQPACKET socket at `path`, which this process's user alone may reach. Throws Error (71).
Descriptor listen_at(const std::string& path);
// Throws Error (71).
Descriptor connect_to(const std::string& path);

// Sends at most 128 KiB and 4 descriptors. False when the other side is gone.
bool send_message(int socket, const std::string& bytes, const std::vector<int>& descriptors = {});

// Waits for one message, or returns nothing: the other side is gone, or (of a socket that does not
// block) there is none yet. `nothing_yet` distinguishes the two.
std::optional<DescriptorMessage> receive_message(int socket, bool* nothing_yet = nullptr);

}  // namespace scalemark::launching
