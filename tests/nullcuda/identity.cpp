#include "identity.h"

#include <cstdio>
#include <cstring>

namespace nullcuda {

Uuid uuid_of(int index) {
  Uuid uuid{};
  const char text[] = "null device 0000";
  std::memcpy(uuid.data(), text, uuid.size());
  uuid[15] = static_cast<unsigned char>(uuid[15] + index % 10);
  uuid[14] = static_cast<unsigned char>(uuid[14] + index / 10 % 10);
  return uuid;
}

std::string uuid_text(int index) {
  std::string text = "GPU-";
  const Uuid uuid = uuid_of(index);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", uuid[i]);
    text += byte;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string pci_bus_id(int index) {
  char text[32];
  std::snprintf(text, sizeof text, "00000000:%02X:00.0", 0x10 + index);
  return text;
}

}  // namespace nullcuda
