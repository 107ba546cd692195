#include "forebay/config/database_target.hpp"

#include <utility>

namespace forebay {

Result<postgres::ConnectionString> DatabaseTarget::connection() const {
  Result<postgres::ConnectionString> connection = postgres::ConnectionString::parse(url);
  if (!connection) return connection;
  const std::string port_text = port ? std::to_string(*port) : "";
  for (const auto& [keyword, value] : {std::pair{"host", &host},
                                       {"port", &port_text},
                                       {"user", &user},
                                       {"password", &password},
                                       {"dbname", &name},
                                       {"sslmode", &sslmode}}) {
    if (value->empty()) continue;
    const Result<void> is_set = connection->set(keyword, *value);
    if (!is_set) return failure(is_set.error());
  }
  return connection;
}

}  // namespace forebay
