// ValuesInForce: the values that libpq would use for a connection string: from the string itself,
// service and password files, the environment, and its own defaults. Nothing but libpq knows them
// all.
//
// Reads files, so it belongs on a lane, or to the start of a program. No text of it has secrets,
// but for what password() gives.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "forebay/postgres/driver/conninfo.hpp"
#include "forebay/postgres/driver/host_list.hpp"

namespace forebay::postgres {

class ValuesInForce {
 public:
  explicit ValuesInForce(const ConnectionString& target);

  // Empty: there is none.
  std::string_view get(std::string_view keyword) const;
  HostList hosts() const { return HostList(get("host"), get("hostaddr"), get("port")); }

  // What libpq has made of the values for the first of the hosts.
  const std::string& first_host() const { return first_host_; }  // or the folder of its socket
  const std::string& password() const { return password_; }      // given, or of the password file
  const std::string& database() const { return database_; }
  // Why libpq would not even begin to connect; empty: it would.
  const std::string& problem() const { return problem_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::string first_host_;
  std::string password_;
  std::string database_;
  std::string problem_;
};

}  // namespace forebay::postgres
