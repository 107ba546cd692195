// StatementShape: what texts of SQL have in common that differ in their constants only. Such texts
// do the same to their session, so one reading is enough for all of them.
#pragma once

#include <string>
#include <string_view>

namespace forebay::wire {

// The text with 0 for each number and '' for each string: read_statement() says the same of both.
// A text in which constants are not so easily found, or count for something, is its own shape:
// comments, escapes, dollar quotes, quoted names, set_config.
std::string statement_shape(std::string_view sql);

}  // namespace forebay::wire
