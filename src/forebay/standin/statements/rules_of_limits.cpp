// How much there may be of something.
#include <array>

#include "forebay/standin/statements/rule.hpp"

namespace forebay::standin {
namespace {

using enum Certainty;

constexpr auto kLimits = std::to_array<Rule>({
    {.name = "transaction_rows",
     .refuses = "more than 3,000 rows changed or locked in a transaction, at the statement",
     .sqlstate = "54000",
     .message = "transaction row limit exceeded",
     .source = "emu 2026-09"},
    {.name = "transaction_size",
     .refuses = "more than 10 MiB written in a transaction, at COMMIT",
     .sqlstate = "54000",
     .message = "transaction size limit <limit>mb exceeded",
     .source = "skill 2026-10",
     .detail = "Current transaction size <size>mb > <limit>mb"},
    {.name = "transaction_age",
     .refuses = "a transaction older than 300 s, at the next statement or COMMIT",
     .sqlstate = "54000",
     .message = "transaction age limit of <limit>s exceeded",
     .source = "quotas, skill 2026-10",
     .detail = "Current transaction age <age>s exceeds <limit>s"},
    {.name = "char_size",
     .refuses = "char(n) of more than 4,096 bytes",
     .sqlstate = "54000",
     .message = "Datatype limit greater than 4096 bytes not supported for char",
     .source = "skill 2026-10"},
    {.name = "varchar_size",
     .refuses = "varchar(n) of more than 65,535 bytes",
     .sqlstate = "54000",
     .message = "Datatype limit greater than 65535 bytes not supported for varchar",
     .source = "skill 2026-10"},
    {.name = "key_size",
     .refuses =
         "a key of CREATE TABLE whose char(n) and varchar(n) add up to more than 2,000 bytes",
     .sqlstate = "54000",
     .message = "key size greater than 2000 bytes not supported",
     .source = "skill 2026-10"},
    {.name = "key_columns",
     .refuses = "more than 8 columns in a key",
     .sqlstate = "54011",
     .message = "more than 8 column keys in an index are not supported",
     .source = "quotas"},
    {.name = "table_columns",
     .refuses = "more than 256 columns (255 by the documentation) in a table without primary key",
     .sqlstate = "54011",
     .message = "tables can have at most 255 columns",
     .source = "skill 2026-10"},
    {.name = "table_columns_with_key",
     .refuses = "more than 256 columns in a table with a primary key",
     .sqlstate = "54011",
     .message = "cannot use more than 256 columns in an index",
     .source = "skill 2026-10"},
    {.name = "table_indexes",
     .refuses = "a 25th index of a table, primary key and UNIQUE included",
     .sqlstate = "54000",
     .message = "more than 24 indexes per table are not allowed",
     .source = "skill 2026-10"},
    {.name = "tables",
     .refuses = "more than 1,000 tables",
     .sqlstate = "54000",
     .message = "creating more than 1000 tables not allowed",
     .source = "quotas",
     .certainty = documented},
    {.name = "schemas",
     .refuses = "more than 10 schemas beside public and sys",
     .sqlstate = "54000",
     .message = "more than 10 schemas not allowed",
     .source = "quotas, skill 2026-10"},
    {.name = "views",
     .refuses = "more than 5,000 views",
     .sqlstate = "54000",
     .message = "creating more than 5000 views not allowed",
     .source = "quotas",
     .certainty = documented},
    {.name = "sequences",
     .refuses = "more than 5,000 sequences",
     .sqlstate = "54000",
     .message = "creating more than 5000 sequences is not allowed",
     .source = "quotas",
     .certainty = documented},
});

}  // namespace

std::span<const Rule> rules_of_limits() { return kLimits; }

}  // namespace forebay::standin
