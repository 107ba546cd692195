// CredentialsSource: one way to come by credentials. The chain asks one after the other.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"

namespace forebay::aws {

// What a look at one source brought: credentials, or why there are none here.
class Finding {
 public:
  static Finding found(Credentials credentials) { return Finding(std::move(credentials)); }
  static Finding absent(std::string reason) { return Finding(std::move(reason)); }

  const std::optional<Credentials>& credentials() const { return credentials_; }
  const std::string& reason() const { return reason_; }  // for people; no full stop

 private:
  explicit Finding(Credentials credentials) : credentials_(std::move(credentials)) {}
  explicit Finding(std::string reason) : reason_(std::move(reason)) {}

  std::optional<Credentials> credentials_;
  std::string reason_;
};

class CredentialsSource {
 public:
  virtual ~CredentialsSource() = default;
  // For tasks of the scheduler. An error: something is set up here, and it does not work. Nobody
  // then looks elsewhere, because that could be somebody else's credentials.
  virtual Task<Result<Finding>> look(Instant deadline) = 0;
};

}  // namespace forebay::aws
