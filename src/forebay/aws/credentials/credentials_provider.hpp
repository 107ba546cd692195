// CredentialsProvider: where credentials come from.
#pragma once

#include <string>
#include <utility>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"

namespace forebay::aws {

class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;
  // For tasks of the scheduler. Credentials that are good for a while yet, or why there are none.
  virtual Task<Result<Credentials>> get(Instant deadline) = 0;
  // AWS says that the credentials with this key have run out, whatever they say themselves: a
  // provider that keeps them looks for others at the next get().
  virtual void reject(const std::string& access_key_id) { static_cast<void>(access_key_id); }
  // Ends work in the background, and calls that wait, with Errc::closed. The owner awaits it before
  // the provider dies; there is no get() after it.
  virtual Task<void> close() { co_return; }
};

class StaticCredentials final : public CredentialsProvider {
 public:
  explicit StaticCredentials(Credentials credentials) : credentials_(std::move(credentials)) {}
  Task<Result<Credentials>> get(Instant) override { co_return credentials_; }

 private:
  const Credentials credentials_;
};

}  // namespace forebay::aws
