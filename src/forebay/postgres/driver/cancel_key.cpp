#include "forebay/postgres/driver/cancel_key.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <libpq-fe.h>

namespace forebay::postgres {
namespace {

constexpr std::string_view kMessage = "BackendKeyData";

std::optional<std::int32_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<CancelKey> find_cancel_key(std::string_view trace) {
  const std::size_t at = trace.rfind(kMessage);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = trace.substr(at + kMessage.size());
  const std::optional<std::int32_t> process = take_number(rest);
  const std::optional<std::int32_t> secret = process ? take_number(rest) : std::nullopt;
  const bool is_whole = secret && (rest.empty() || rest.front() == '\n');
  if (!is_whole) return std::nullopt;
  CancelKey key;
  key.process = *process;
  key.secret = *secret;
  return key;
}

KeyListener::~KeyListener() { forget(); }

void KeyListener::start(pg_conn* connection) {
  file_ = ::open_memstream(&text_, &size_);
  if (file_ == nullptr) return;
  PQtrace(connection, file_);
  PQsetTraceFlags(connection, PQTRACE_SUPPRESS_TIMESTAMPS);  // nobody reads the time of day
}

std::optional<CancelKey> KeyListener::stop(pg_conn* connection) {
  PQuntrace(connection);
  if (file_ == nullptr || std::fflush(file_) != 0) return std::nullopt;
  const std::optional<CancelKey> key = find_cancel_key(std::string_view(text_, size_));
  forget();
  // A pooler may have sent more than one, and libpq counts the last: it must be the one it uses.
  const bool is_this = key && key->process == PQbackendPID(connection);
  return is_this ? key : std::nullopt;
}

void KeyListener::forget() {
  if (file_ == nullptr) return;
  std::fclose(std::exchange(file_, nullptr));
  std::fill_n(static_cast<volatile char*>(text_), size_, '\0');
  std::free(std::exchange(text_, nullptr));
}

}  // namespace forebay::postgres
