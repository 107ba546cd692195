#include "forebay/tenants/preparing_connector.hpp"

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr std::string_view kNoSuchDatabase = "3D000";

}  // namespace

Task<Result<std::unique_ptr<Connection>>> PreparingConnector::connect(std::string password,
                                                                      Instant deadline) {
  const Result<void> prepared = co_await prepare(deadline);
  if (!prepared) co_return failure(prepared.error());
  Result<std::unique_ptr<Connection>> connected =
      co_await inner_->connect(std::move(password), deadline);
  if (!connected && connected.error().sqlstate() == kNoSuchDatabase) is_there_ = false;
  co_return connected;
}

// Whoever comes first asks; the others wait for what it hears, and ask themselves if it failed.
Task<Result<void>> PreparingConnector::prepare(Instant deadline) {
  while (is_preparing_ && !is_closed_) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time)
      co_return failure(Errc::timed_out, fmt::format("{} is still being made", database_));
  }
  if (is_closed_) co_return failure(Errc::closed, "the connector is closed");
  if (is_there_) co_return Result<void>();
  is_preparing_ = true;
  Task<Result<bool>> asking = connectors_.make_database(database_, deadline);
  const std::optional<Result<bool>> made = co_await questions_.ask(std::move(asking));
  is_preparing_ = false;
  changed_.notify_all();
  if (!made) co_return failure(Errc::closed, "the connector is closed");
  if (!*made) co_return failure(made->error());
  is_there_ = true;
  co_return Result<void>();
}

void PreparingConnector::close() {
  is_closed_ = true;
  questions_.end();
  changed_.notify_all();
  inner_->close();
}

}  // namespace forebay
