// A proxy's path through the protocol allocates nothing for a message.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/counted_allocations.hpp"
#include "support/wire_frames.hpp"

namespace forebay::wire {
namespace {

std::string extended_query() {
  const std::array<Value, 2> parameters{"17", std::nullopt};
  std::string stream;
  write_parse(stream, "a statement with a long name", "SELECT $1, $2");
  write_bind(stream, {.statement = "a statement with a long name", .parameters = parameters});
  write_describe(stream, Target::portal, "");
  write_execute(stream, "");
  write_copy_data(stream, std::string(50'000, 'x'));
  write_sync(stream);
  return stream;
}

TEST(WireAllocationTest, ReadingAllocatesNothing) {
  std::string stream;
  for (int turn = 0; turn < 10; ++turn) stream += extended_query();
  FrameReader reader(FrameOptions{.whole = MessageTypes("PBDCEQ")});
  reader.expect_messages();
  int messages = 0;
  std::size_t names = 0;
  const int allocations = test::allocations_of([&] {
    for (std::string_view rest = stream; !rest.empty();) {
      rest = test::feed(reader, rest);
      for (Frame frame = reader.next(); frame.kind != Frame::Kind::none; frame = reader.next()) {
        if (frame.kind == Frame::Kind::whole || frame.kind == Frame::Kind::first) ++messages;
        if (frame.type == 'P') names += parse_parse(frame.body)->statement.size();
        if (frame.type == 'B') {
          const Result<BindView> bind = parse_bind(frame.body);
          for (const Value& value : bind->parameters) names += value.value_or("").size();
        }
      }
    }
  });
  EXPECT_EQ(messages, 60);
  EXPECT_EQ(names, 10u * (28 + 2));
  EXPECT_EQ(allocations, 0);
}

TEST(WireAllocationTest, WritingIntoAUsedBufferAllocatesNothing) {
  std::string out;
  const std::array<Value, 2> values{"one value that is longer than a short string", std::nullopt};
  const auto write = [&] {
    out.clear();
    write_parse(out, "s", "SELECT $1, $2");
    write_bind(out, {.statement = "s", .parameters = values});
    write_data_row(out, values);
    write_command_complete(out, "SELECT 1");
    write_ready_for_query(out, TransactionStatus::idle);
  };
  write();
  EXPECT_EQ(test::allocations_of(write), 0);
}

}  // namespace
}  // namespace forebay::wire
