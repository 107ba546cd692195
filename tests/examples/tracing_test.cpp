// The example program as a user runs it: a span for each wait of a request, all in its trace.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"
#include "support/places.hpp"

namespace forebay {
namespace {

std::vector<std::string> lines_printed(const std::string& database) {
  auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-example");
  EXPECT_TRUE(folder.has_value()) << folder.error();
  embedded::Command command;
  command.words = {test::built_file("examples/tracing/tracing"), database};
  command.output = (*folder)->path() / "output";
  auto process = embedded::ChildProcess::start(command);
  EXPECT_TRUE(process.has_value()) << process.error();
  EXPECT_EQ(process->wait(std::chrono::seconds(60)).value_or(-1), 0);
  std::istringstream output(embedded::read_file(command.output));
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) lines.push_back(line);
  return lines;
}

long with(const std::vector<std::string>& lines, std::string_view text) {
  return std::ranges::count_if(
      lines, [text](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(TracingTest, PrintsASpanForEachWaitOfARequest) {
  auto server = embedded::PostgresServer::launch({});
  ASSERT_TRUE(server.has_value()) << server.error();

  const std::vector<std::string> lines = lines_printed((*server)->superuser_url());

  EXPECT_EQ(with(lines, R"("traceId": "4bf92f3577b34da6a3ce929d0e0e4736")"), 10);
  EXPECT_EQ(with(lines, R"("parentSpanId": "00f067aa0ba902b7")"), 10);
  EXPECT_EQ(with(lines, R"("name": "acquire")"), 3);
  EXPECT_EQ(with(lines, R"("name": "statement")"), 5);  // BEGIN travels with the first
  EXPECT_EQ(with(lines, R"("db.query.text": "SHOW server_version")"), 1);
  EXPECT_EQ(with(lines, R"("retry.attempt": 1, "error.type": "40001"}, "status": "ERROR")"), 1);
  EXPECT_EQ(with(lines, R"("retry.attempt": 2}, "status": "OK")"), 1);
}

}  // namespace
}  // namespace forebay
