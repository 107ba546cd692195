// CancelKey: what a server wants to see before it cancels a statement of a session.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {

struct CancelKey {
  CancelKey() = default;
  explicit CancelKey(const wire::CancelKeyView& view) : process(view.process), key(view.key) {}

  bool is_known() const { return !key.empty(); }  // some poolers have none
  wire::CancelKeyView view() const { return {process, key}; }

  std::uint32_t process = 0;
  std::string key;
};

}  // namespace forebay::proxy
