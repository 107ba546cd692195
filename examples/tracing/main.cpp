// Prints a span for everything that a request waited for, one line of JSON each, in the shape of
// OpenTelemetry: trace, parent, name, attributes, times, status. Where OpenTelemetry is at hand,
// the two hooks start and end spans of its tracer instead.
#include <chrono>
#include <iostream>
#include <mutex>
#include <string>

#include <forebay/forebay.hpp>

using forebay::ObservedCall;

namespace {

// Enough for what stands in SQL.
std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

class Spans final : public forebay::Observer {
 public:
  void on_end(const ObservedCall& call, forebay::Duration time,
              const forebay::Error* error) noexcept override {
    if (call.trace_context.size() != 55) return;  // nobody asked for a trace
    // A traceparent is version-trace-parent-flags: 2, 32, 16 and 2 hexadecimal digits.
    const std::string_view trace = call.trace_context.substr(3, 32);
    const std::string_view parent = call.trace_context.substr(36, 16);
    const auto end = std::chrono::system_clock::now().time_since_epoch();
    const std::lock_guard lock(mutex_);
    std::cout << R"({"traceId": )" << quoted(trace) << R"(, "parentSpanId": )" << quoted(parent)
              << R"(, "name": ")" << name(call.step)
              << R"(", "kind": "CLIENT", "startTimeUnixNano": )" << (end - time).count()
              << R"(, "endTimeUnixNano": )" << end.count()
              << R"(, "attributes": {"db.system": "postgresql", "pool.name": )"
              << quoted(call.pool);
    if (call.step == forebay::ObservedStep::statement)
      std::cout << R"(, "db.query.text": )" << quoted(call.subject);
    if (call.step == forebay::ObservedStep::attempt)
      std::cout << R"(, "db.operation.name": )" << quoted(call.subject) << R"(, "retry.attempt": )"
                << call.attempt;
    if (error != nullptr) std::cout << R"(, "error.type": )" << quoted(error->sqlstate());
    std::cout << R"(}, "status": ")" << (error == nullptr ? "OK" : "ERROR") << "\"}\n";
  }

 private:
  std::mutex mutex_;
};

// Fails once as a conflict does, and is run again.
forebay::Result<int> count_twice(forebay::postgres::Transaction& transaction) {
  if (transaction.attempt() == 1) {
    auto failed = transaction.exec_blocking(
        "DO $$ BEGIN RAISE EXCEPTION 'somebody was faster' USING ERRCODE = '40001'; END $$");
    if (!failed) return forebay::failure(failed.error());
  }
  return transaction.query_one_blocking<int>("SELECT count(*) FROM pg_tables");
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || words[1][0] == '-')
    return std::cout << "usage: tracing postgresql://user@host/database\n", 0;
  Spans spans;  // outlives the pool
  forebay::PoolOptions options;
  options.name = "orders";
  options.observer = &spans;
  forebay::Runtime runtime;
  auto pool = forebay::postgres::PostgresPool::open(runtime, words[1], options);
  if (!pool) return std::cerr << pool.error() << '\n', 1;

  // As it came with the request.
  const std::string traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const forebay::TraceScope scope(traceparent);
  auto version = (*pool)->query_one_blocking<std::string>("SHOW server_version");
  if (!version) return std::cerr << version.error() << '\n', 1;
  forebay::postgres::TransactionOptions named("count_twice");
  auto counted = (*pool)->transaction_blocking(named, count_twice);
  if (!counted) return std::cerr << counted.error() << '\n', 1;
}
