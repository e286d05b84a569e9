// Notes of ELF files: small records that a linker or a program puts into a library, and that are
// read without loading it.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalemark {

struct NoteName {
  std::string_view owner;  // "GNU"
  std::uint32_t type = 0;
};

// A note of ours, which SCALEMARK_NOTE defines where the linker finds it.
struct OwnNote {
  Elf64_Nhdr header;
  char owner[12];  // padded to 4 bytes, as the contents are
  char contents[64];

  static constexpr std::string_view kOwner = "scalemark";

  constexpr OwnNote(std::uint32_t type, std::string_view text)
      : header{.n_namesz = kOwner.size() + 1, .n_descsz = sizeof contents, .n_type = type},
        owner{},
        contents{} {
    kOwner.copy(owner, kOwner.size());
    text.copy(contents, sizeof contents - 1);
  }
};
#define SCALEMARK_NOTE \
  [[gnu::used, gnu::section(".note.scalemark"), gnu::aligned(4)]] constexpr ::scalemark::OwnNote

// The notes of ours that are read: the torch that an engine was built with ("2.11.0+cu130"), and
// the CUDA whose compiler made a CUDA plugin's PTX ("13020" for 13.2; "0" where there is none).
inline constexpr NoteName kTorchNote{.owner = OwnNote::kOwner, .type = 1};
inline constexpr NoteName kPtxNote{.owner = OwnNote::kOwner, .type = 2};

// Returns the contents of such a note of a library; "unknown" where it has none.
std::string own_note(const std::filesystem::path& library, const NoteName& name);

// Returns the bytes of a note among those of one segment (PT_NOTE); absent where it has none.
std::optional<std::string> note_in(std::span<const std::byte> segment, const NoteName& name);

// The same in the segments of a 64-bit file of this machine's byte order. Absent, too, where the
// file cannot be read.
std::optional<std::string> note_in_file(const std::filesystem::path& file, const NoteName& name);

}  // namespace scalemark
