// CancelKey: what a server wants to see before it cancels a statement of a session.
//
// libpq keeps it to itself. Its own PQcancel() blocks a thread for as long as it pleases the
// network, and cannot be stopped; its cancel that does not block is of a later version. But libpq
// shows its messages to a tracer, and this one comes with the start of every session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "forebay/postgres/driver/libpq_env.hpp"

namespace forebay::postgres {

struct CancelKey {
  std::int32_t process = 0;
  std::int32_t secret = 0;
  friend bool operator==(const CancelKey&, const CancelKey&) = default;
};

// The last key in the text of a trace.
std::optional<CancelKey> find_cancel_key(std::string_view trace);

// Listens to a connection from its start. It outlives the connection, or stop() comes before.
class KeyListener {
 public:
  KeyListener() = default;
  KeyListener(const KeyListener&) = delete;
  KeyListener& operator=(const KeyListener&) = delete;
  ~KeyListener();

  void start(pg_conn* connection);
  // The key, unless libpq tells it in other words than those known here.
  std::optional<CancelKey> stop(pg_conn* connection);

 private:
  void forget();

  std::FILE* file_ = nullptr;
  char* text_ = nullptr;  // of the file; with passwords in it
  std::size_t size_ = 0;
};

}  // namespace forebay::postgres
