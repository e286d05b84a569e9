// An image tree as bytes and back: counts and lengths as uint64, texts as they are.
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/image_folder.h"

namespace scalemark::data {
namespace {

void put(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

void put(std::string& bytes, const std::vector<std::string>& texts) {
  put(bytes, texts.size());
  for (const std::string& text : texts) put(bytes, text);
}

void put(std::string& bytes, const std::vector<ImageFile>& files) {
  put(bytes, files.size());
  for (const ImageFile& file : files) {
    put(bytes, static_cast<std::uint64_t>(file.label));
    put(bytes, file.path);
  }
}

void put(std::string& bytes, const std::map<std::string, std::int64_t>& counts) {
  put(bytes, counts.size());
  for (const auto& [name, count] : counts) {
    put(bytes, name);
    put(bytes, static_cast<std::uint64_t>(count));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  std::vector<std::string> texts() {
    std::vector<std::string> texts(checked_count(sizeof(std::uint64_t)));
    for (std::string& one : texts) one = text();
    return texts;
  }
  std::vector<ImageFile> files() {
    std::vector<ImageFile> files(checked_count(2 * sizeof(std::uint64_t)));
    for (ImageFile& file : files) {
      file.label = static_cast<std::int64_t>(number());
      file.path = text();
    }
    return files;
  }
  std::map<std::string, std::int64_t> counts() {
    std::map<std::string, std::int64_t> counts;
    for (std::size_t left = checked_count(2 * sizeof(std::uint64_t)); left > 0; --left) {
      std::string name = text();
      counts[std::move(name)] = static_cast<std::int64_t>(number());
    }
    return counts;
  }
  // A count of items that take at least `least_bytes` each.
  std::size_t checked_count(std::size_t least_bytes) {
    const std::uint64_t count = number();
    if (count > rest_.size() / least_bytes) throw bug("an image tree is cut short");
    return count;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw bug("an image tree is cut short");
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace

std::string to_bytes(const ImageTree& tree) {
  std::string bytes;
  put(bytes, tree.root);
  put(bytes, tree.held_out ? 1 : 0);
  put(bytes, tree.classes);
  put(bytes, tree.train);
  put(bytes, tree.evaluate);
  put(bytes, tree.notes);
  put(bytes, tree.left_out);
  return bytes;
}

ImageTree read_image_tree(std::string_view bytes) {
  Reader reader(bytes);
  ImageTree tree;
  tree.root = reader.text();
  tree.held_out = reader.number() != 0;
  tree.classes = reader.texts();
  tree.train = reader.files();
  tree.evaluate = reader.files();
  tree.notes = reader.texts();
  tree.left_out = reader.counts();
  if (!reader.at_end()) throw bug("unexpected bytes after an image tree");
  return tree;
}

}  // namespace scalemark::data
