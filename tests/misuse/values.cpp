// Values that are not there: rows, columns, results, labels of enums.
#include "misuse/misuse.hpp"

namespace forebay::misuse {

enum class Season : std::uint8_t { summer };

}  // namespace forebay::misuse

template <>
struct forebay::postgres::EnumLabels<forebay::misuse::Season> {
  static constexpr std::pair<misuse::Season, std::string_view> labels[] = {
      {misuse::Season::summer, "summer"}};
};

namespace forebay::misuse {
namespace {

void row_not_there(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->exec_blocking("SELECT 1 WHERE false", 20s);
  print(std::string(rows->value(0, 0).value_or("")));
}

void typed_row_not_there(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->exec_blocking("SELECT 1 WHERE false", 20s);
  const Result<int> value = (*rows)[0].get<int>(0);
  if (!value) print(value.error());
}

void column_not_there(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->exec_blocking("SELECT 1", 20s);
  print(std::string(rows->value(0, 1).value_or("")));
}

void moved_result(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  auto rows = session->exec_blocking("SELECT 1", 20s);
  const auto other = std::move(*rows);
  print("rows: " + std::to_string(rows->rows()) + ", tag: '" + std::string(rows->command_tag()) +
        "'");
}

void error_for_value(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->exec_blocking("SELECT nonsense", 20s);
  print(std::to_string(rows->rows()));
}

void enum_without_label(const std::string&) { postgres::parameters(static_cast<Season>(7)); }

}  // namespace

std::vector<Program> value_programs() {
  return {{"row-not-there", &row_not_there},       {"typed-row-not-there", &typed_row_not_there},
          {"column-not-there", &column_not_there}, {"moved-result", &moved_result},
          {"error-for-value", &error_for_value},   {"enum-without-label", &enum_without_label}};
}

}  // namespace forebay::misuse
