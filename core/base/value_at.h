// Looks up keys that may be missing. Knows nothing of what a map holds.
#pragma once

namespace scalemark {

// The value of `key`, or `otherwise`.
template <class Map, class Key>
typename Map::mapped_type value_at(const Map& map, const Key& key,
                                   typename Map::mapped_type otherwise = {}) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

}  // namespace scalemark
