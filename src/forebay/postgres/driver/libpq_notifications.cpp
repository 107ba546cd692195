// LibpqConnection: what the server says on the channels that the session listens to.
#include <libpq-fe.h>

#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"

namespace forebay::postgres {

std::vector<Notification> LibpqConnection::take_notifications() {
  std::vector<Notification> heard;
  while (PGnotify* const notify = PQnotifies(handle_.get())) {
    heard.emplace_back(notify->relname, notify->extra, notify->be_pid);
    PQfreemem(notify);
  }
  return heard;
}

Task<Result<std::vector<Notification>>> LibpqConnection::hear(Until until) {
  refuse_without_loan();
  const Use use(*this);
  for (;;) {
    const Result<void> idle = check_idle();
    if (!idle) co_return failure(idle.error());
    std::vector<Notification> heard = take_notifications();
    if (!heard.empty()) co_return heard;
    const Result<void> waited = co_await parts_->socket->wait(Readiness::readable, until);
    if (!waited) co_return failure(waited.error());
    if (PQconsumeInput(libpq()) == 1) continue;
    co_return failure(give_up(statement_error(nullptr, handle_.get())));
  }
}

}  // namespace forebay::postgres
