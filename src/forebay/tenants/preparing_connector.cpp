#include "forebay/tenants/preparing_connector.hpp"

#include <fmt/format.h>

#include "forebay/env/race.hpp"

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
  const bool is_missing = !connected && connected.error().sqlstate() == kNoSuchDatabase;
  if (!is_missing) co_return connected;
  // It was dropped meanwhile. That is no refusal for good: the next connect makes it again.
  is_there_ = false;
  co_return failure(Errc::connect_failed,
                    fmt::format("{}; it is made again", connected.error().text()));
}

// The first to come asks; the others wait for what it hears, and ask themselves if it failed.
Task<Result<void>> PreparingConnector::prepare(Instant deadline) {
  while (is_preparing_ && !closing_.is_cancelled()) {
    const bool is_in_time = co_await changed_.wait_until(Until(deadline, closing_));
    if (!is_in_time && !closing_.is_cancelled())
      co_return failure(Errc::timed_out, fmt::format("{} is still being made", database_));
  }
  if (closing_.is_cancelled()) co_return failure(Errc::closed, "the connector is closed");
  if (is_there_) co_return Result<void>();
  is_preparing_ = true;
  Task<Result<bool>> asking = connectors_.make_database(database_, deadline);
  const std::optional<Result<bool>> made = co_await race(std::move(asking), closing_);
  is_preparing_ = false;
  changed_.notify_all();
  if (!made) co_return failure(Errc::closed, "the connector is closed");
  if (!*made) co_return failure(made->error());
  is_there_ = true;
  co_return Result<void>();
}

void PreparingConnector::close() {
  closing_.cancel();
  inner_->close();
}

}  // namespace forebay
