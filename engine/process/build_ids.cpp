#include "engine/process/build_ids.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace scalemark::process {
namespace {

constexpr std::string_view kOurs = "libscalemark_";

// "/x/libscalemark_engine.so" -> "scalemark_engine"; empty for a library of others.
std::string our_name(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (!file.starts_with(kOurs)) return "";
  return std::string(file.substr(3, file.find('.') - 3));
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// The notes of one segment: header, name, contents; each padded to 4 bytes.
std::string build_id_in(const unsigned char* notes, std::size_t size) {
  const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t contents = name + padded(note.n_namesz);
    const std::size_t end = contents + padded(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      return hexadecimal(notes + contents, note.n_descsz);
    }
    at = end;
  }
  return "";
}

int add(dl_phdr_info* library, std::size_t, void* found) {
  const std::string name = our_name(library->dlpi_name);
  for (int i = 0; !name.empty() && i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes =
        reinterpret_cast<const unsigned char*>(library->dlpi_addr + segment.p_vaddr);
    const std::string id = build_id_in(notes, segment.p_memsz);
    if (!id.empty()) (*static_cast<std::map<std::string, std::string>*>(found))[name] = id;
  }
  return 0;
}

}  // namespace

std::map<std::string, std::string> build_ids() {
  std::map<std::string, std::string> found;
  dl_iterate_phdr(add, &found);
  return found;
}

}  // namespace scalemark::process
