// Notification: what NOTIFY said.
#pragma once

#include <string>
#include <utility>

namespace forebay::postgres {

struct Notification {
  Notification(std::string on_channel, std::string text, int from)
      : channel(std::move(on_channel)), payload(std::move(text)), backend(from) {}

  std::string channel;
  std::string payload;  // empty if there is none
  int backend;          // the process of the session that said it
};

}  // namespace forebay::postgres
