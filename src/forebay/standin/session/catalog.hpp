// Catalog: how often the schema of the cluster has been changed. Each session knows which version
// it has seen. Confined to the loop of the sessions.
#pragma once

#include <cstdint>

namespace forebay::standin {

class Catalog {
 public:
  std::uint64_t version() const { return version_; }
  // A transaction with DDL in it has committed. The new version.
  std::uint64_t change() { return ++version_; }

 private:
  std::uint64_t version_ = 0;
};

}  // namespace forebay::standin
