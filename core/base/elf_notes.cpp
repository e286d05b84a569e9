#include "core/base/elf_notes.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace scalemark {
namespace {

// Header, name and contents are each padded to 4 bytes (System V ABI, "Note Section").
std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* to, std::size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
  return file.good();
}

}  // namespace

std::optional<std::string> note_in(std::span<const std::byte> segment, const NoteName& name) {
  const std::string owner = std::string(name.owner) + '\0';
  std::size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= segment.size()) {
    Elf64_Nhdr note;
    std::memcpy(&note, segment.data() + at, sizeof note);
    const std::size_t begin = at + sizeof note;
    const std::size_t contents = begin + padded(note.n_namesz);
    at = contents + padded(note.n_descsz);
    if (at > segment.size()) break;
    const auto* text = reinterpret_cast<const char*>(segment.data());
    if (note.n_type == name.type && std::string_view(text + begin, note.n_namesz) == owner) {
      return std::string(text + contents, note.n_descsz);
    }
  }
  return std::nullopt;
}

std::optional<std::string> note_in_file(const std::filesystem::path& file, const NoteName& name) {
  constexpr std::size_t kMostBytes = 1 << 20;  // notes are short; a damaged header claims anything
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header;
  if (!read_at(in, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return std::nullopt;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(in, header.e_phoff, segments.data(), segments.size())) return std::nullopt;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostBytes) continue;
    std::vector<std::byte> notes(segment.p_filesz);
    if (!read_at(in, segment.p_offset, notes.data(), notes.size())) return std::nullopt;
    if (auto found = note_in(notes, name)) return found;
  }
  return std::nullopt;
}

std::string own_note(const std::filesystem::path& library, const NoteName& name) {
  return note_in_file(library, name).value_or("unknown").c_str();  // zeros follow
}

}  // namespace scalemark
