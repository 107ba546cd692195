// The operations of the simulated DynamoDB: a request as JSON becomes calls of Tables, and what
// they answer becomes JSON again.
#pragma once

#include <string_view>

#include <boost/json.hpp>

#include "forebay/sim/dynamodb/tables.hpp"

namespace forebay::sim::dynamodb {

// name: "PutItem"
Answer<boost::json::object> perform(std::string_view name, const boost::json::object& request,
                                    Tables& tables, WallTime now);

boost::json::object to_json(const aws::Item& item);

}  // namespace forebay::sim::dynamodb
