// The words that DynamoDB does not take for names of attributes in expressions: they need a #name.
#pragma once

#include <string_view>

namespace forebay::sim::dynamodb {

bool is_reserved(std::string_view name);  // in capitals or not

}  // namespace forebay::sim::dynamodb
