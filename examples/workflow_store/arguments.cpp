#include "arguments.hpp"

#include <string_view>

#include <forebay/postgres/sql/sql_value.hpp>

namespace workflow {
namespace {

using forebay::Errc;
using forebay::failure;
using forebay::Result;

Result<int> whole_number(const std::string& option, std::string_view text, int most) {
  const Result<std::int64_t> number = forebay::postgres::parse_integer(text, 1, most);
  if (number) return static_cast<int>(*number);
  return failure(Errc::invalid, option + " is a whole number from 1 to " + std::to_string(most) +
                                    ", not \"" + std::string(text) + "\"");
}

}  // namespace

Result<Arguments> parse_arguments(int count, char** words, const char* database_url) {
  Arguments arguments;
  if (database_url != nullptr) arguments.database = database_url;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--help") {
      arguments.wants_help = true;
      return arguments;
    }
    if (option == "--print-schema") {
      arguments.wants_schema = true;
      continue;
    }
    if (option != "--database" && option != "--threads" && option != "--seconds") {
      return failure(Errc::invalid, "there is no option \"" + option + "\"");
    }
    if (++i == count) return failure(Errc::invalid, option + " needs a value");
    if (option == "--database") {
      arguments.database = words[i];
      continue;
    }
    const bool is_threads = option == "--threads";
    const Result<int> number = whole_number(option, words[i], is_threads ? 64 : 3600);
    if (!number) return failure(number.error());
    (is_threads ? arguments.threads : arguments.seconds) = *number;
  }
  if (arguments.database.empty()) {
    return failure(Errc::invalid,
                   "no database is named: give --database URL or set DATABASE_URL; this program "
                   "starts none by itself");
  }
  return arguments;
}

}  // namespace workflow
