// Many clients at once, in several processes, none of which knows our code: what they add is the
// sum, and a condition holds for all of them together.
#include <gtest/gtest.h>

#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;
using embedded::ChildProcess;

// Each adds to one counter without a condition, and to another up to a limit.
constexpr char kProgram[] = R"python(
import http.client, json, sys
port, table, times, most = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
           "X-Amz-Target": "DynamoDB_20120810.UpdateItem",
           "Authorization": "AWS4-HMAC-SHA256 "
                            "Credential=me/20260101/eu-west-1/dynamodb/aws4_request, "
                            "SignedHeaders=host;x-amz-date, Signature=00"}
connection = http.client.HTTPConnection("127.0.0.1", port)
def add(key, more):
    body = {"TableName": table, "Key": {"pk": {"S": key}}, "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}}} | more
    if more:
        body["ExpressionAttributeValues"] = {":one": {"N": "1"}, ":most": {"N": most}}
    connection.request("POST", "/", json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read()).get("__type", "").partition("#")[2]
granted = 0
for _ in range(times):
    assert add("free", {}) == (200, "")
    told = add("limited", {"ConditionExpression": "attribute_not_exists(n) OR n < :most"})
    assert told in [(200, ""), (400, "ConditionalCheckFailedException")], told
    granted += told[0] == 200
print(granted)
)python";

TEST(DynamoCrowdTest, ProcessesAddUpAndKeepALimit) {
  constexpr int kProcesses = 6;
  constexpr int kTimes = 150;
  constexpr int kMost = 500;
  test::StandinDynamoWorld world;
  auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-crowd");
  ASSERT_TRUE(folder.has_value()) << folder.error().text();
  std::vector<ChildProcess> processes;
  for (int i = 0; i < kProcesses; ++i) {
    embedded::Command command;
    command.words = {"/usr/bin/env",
                     "python3",
                     "-c",
                     kProgram,
                     std::to_string(world.server.port()),
                     world.table,
                     std::to_string(kTimes),
                     std::to_string(kMost)};
    command.output = (*folder)->path() / std::to_string(i);
    Result<ChildProcess> started = ChildProcess::start(command);
    ASSERT_TRUE(started.has_value()) << started.error().text();
    processes.push_back(std::move(*started));
  }
  int granted = 0;
  for (int i = 0; i < kProcesses; ++i) {
    const std::optional<int> status = processes[static_cast<std::size_t>(i)].wait(60s);
    const std::string said = embedded::read_file((*folder)->path() / std::to_string(i));
    ASSERT_EQ(status, 0) << said;
    granted += std::stoi(said);
  }

  const auto count = [&](const std::string& key) {
    const auto item = world.run(world.client.get(world.table, key, world.soon()));
    return item && *item ? aws::integer_at(**item, "n") : std::nullopt;
  };
  EXPECT_EQ(count("free"), kProcesses * kTimes);
  EXPECT_EQ(count("limited"), kMost);
  EXPECT_EQ(granted, kMost);
}

}  // namespace
}  // namespace forebay::standin
