#include "forebay/config/configuration.hpp"
#include "forebay/postgres/postgres_tenants.hpp"

namespace forebay {

OptionProblems tenant_problems(const Configuration& configuration) {
  const Result<postgres::ConnectionString> connection = configuration.database.connection();
  OptionProblems wrong;
  if (!connection) {
    wrong.emplace_back("database", "", connection.error().text());
    return wrong;
  }
  append(wrong, within("tenants", postgres::PostgresTenants::problems(
                                      connection->text_with_secrets(), configuration.tenants)));
  if (configuration.cluster) append(wrong, within("cluster", problems(*configuration.cluster)));
  return wrong;
}

}  // namespace forebay
