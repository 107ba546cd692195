// DatabaseTarget: which database, and as whom, in the parts that people set one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay {

enum class Authentication : std::uint8_t {
  password,  // the one given here, or where libpq looks for one
  iam,       // tokens of Aurora DSQL, made as the AWS tools' credentials say
};

struct DatabaseTarget {
  DatabaseTarget() = default;

  // Each part overrides what the URL says. What neither says is left to libpq and its variables.
  std::string url;
  std::string host;
  std::optional<int> port;
  std::string user;
  std::string password;
  std::string name;
  std::string sslmode;
  // None: tokens for a host of Aurora DSQL without a password, else a password.
  std::optional<Authentication> authentication;

  // Errc::invalid: the URL cannot be read, or a part cannot work. Its text holds no secret.
  // PostgresPool::open() takes its text_with_secrets().
  Result<postgres::ConnectionString> connection() const;
};

}  // namespace forebay
