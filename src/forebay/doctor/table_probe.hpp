// Looks at one DynamoDB table as a service uses it. Nothing is changed there.
#pragma once

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/doctor/table_check.hpp"

namespace forebay::doctor {

// Each request has the timeout. Confined to the client's scheduler.
Task<TableFacts> look_at_table(Scheduler& scheduler, aws::DynamoDb& client, ClusterTable table,
                               Duration timeout);

}  // namespace forebay::doctor
