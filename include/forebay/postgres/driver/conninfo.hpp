// ConnectionString: where to connect and as whom, parsed and checked before anything is dialled.
//
// Always: no text made here (errors included) contains a secret, not even a part of one that a
// typing mistake has moved to another place; but for text_with_secrets(), which is for libpq.
// Values that are not given are left to libpq and its environment variables. A value type: copy it
// to use it on another thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

// Null-terminated arrays for PQconnectStartParams. They point into the ConnectionString
// they come from.
struct KeywordArrays {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
};

class ConnectionString {
 public:
  // Accepts postgresql:// URLs and key=value strings. Errc::invalid says what is wrong
  // with the text.
  static Result<ConnectionString> parse(std::string text);

  // Overrides or adds a value. Errc::invalid: libpq knows no such keyword, or the
  // value cannot work.
  Result<void> set(std::string_view keyword, std::string value);

  // Empty when not given; host and port are comma-separated lists when several servers are given.
  std::string_view get(std::string_view keyword) const;
  std::string_view host() const { return get("host"); }
  std::string_view port() const { return get("port"); }
  std::string_view database() const { return get("dbname"); }
  std::string_view user() const { return get("user"); }

  // The database that libpq asks for: the one given, else its default, else the user's name.
  std::string database_in_force() const;

  // key=value text for logs, secrets shown as ***.
  std::string redacted() const;
  // key=value text that parse() reads back. Never for people.
  std::string text_with_secrets() const;
  // The text with every secret of this connection string blotted out: for what others wrote.
  std::string scrubbed(std::string text) const;

  KeywordArrays arrays() const;

 private:
  struct Setting {
    Setting(std::string k, std::string v) : keyword(std::move(k)), value(std::move(v)) {}
    std::string keyword;
    std::string value;
  };

  std::string text(bool has_secrets) const;
  std::string in_force(std::string_view keyword) const;

  std::vector<Setting> settings_;  // in libpq's order; only those that were given
};

int libpq_version();  // 150004: 15.4
// What sslrootcert has to be for the certificates that this machine trusts: the word "system" where
// libpq knows it, which it does since 16, else Debian's file of them.
std::string system_root_certificates(int version);

}  // namespace forebay::postgres
