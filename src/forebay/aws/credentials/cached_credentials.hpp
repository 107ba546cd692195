// CachedCredentials: fetches credentials once for everybody, and again before they end.
//
//   more than 5 minutes left      the ones at hand
//   5 minutes to 10 seconds left  the ones at hand, while new ones are fetched in the background
//   less, or none yet             callers wait for the fetch, each until its own deadline
//
// There is never more than one fetch, and none belongs to a caller: it goes on when all have given
// up. After a failed one there is a pause, which doubles with each failure in a row; callers
// then hear at once why it failed, if nothing is at hand. Credentials without an end are
// fetched once. Those that AWS has rejected are dropped, so that a user who renews a file need not
// start the program again. Confined to its scheduler.
#pragma once

#include <memory>
#include <optional>

#include "forebay/aws/credentials/credentials_provider.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay::aws {

// How long before credentials end others are fetched.
inline constexpr Duration kRefreshAhead = std::chrono::minutes(5);

struct RefreshRule {
  Duration ahead = kRefreshAhead;
  // A request takes a while, and clocks differ a little.
  Duration last_moment = std::chrono::seconds(10);
  Duration fetch_limit = std::chrono::seconds(20);
  Duration first_pause = std::chrono::seconds(1);
  Duration longest_pause = std::chrono::minutes(1);
  // Off for a command that ends with the error: it says so itself, and tries nothing again.
  bool logs_failures = true;
};

class CachedCredentials final : public CredentialsProvider {
 public:
  CachedCredentials(Env env, std::unique_ptr<CredentialsProvider> source, RefreshRule rule = {});

  Task<Result<Credentials>> get(Instant deadline) override;
  void reject(const std::string& access_key_id) override;
  // Closes the source, and waits for a fetch that is under way to end.
  Task<void> close() override;

 private:
  bool is_usable() const;
  Duration time_left() const;  // REQUIRES: there are credentials
  void start_fetch();
  Task<void> fetch();
  void note(Result<Credentials> result);
  Duration pause_after_failure();
  Error waiting_error() const;

  const Env env_;
  const std::unique_ptr<CredentialsProvider> source_;
  const RefreshRule rule_;

  std::optional<Credentials> credentials_;
  std::optional<Error> error_;  // of the last fetch, if it failed
  int failures_ = 0;            // in a row
  Instant next_fetch_{};        // not before
  bool is_fetching_ = false;
  Instant fetch_start_{};
  int waiting_ = 0;  // calls of get()
  Cancellation closing_;
  Condition fetched_;
  TaskGroup group_;
};

}  // namespace forebay::aws
