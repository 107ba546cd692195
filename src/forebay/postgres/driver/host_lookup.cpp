#include "forebay/postgres/driver/host_lookup.hpp"

#include "forebay/env/task_group.hpp"

namespace forebay::postgres {

Task<void> HostLookup::ask(NameLookup& lookup, Instant deadline,
                           Result<std::vector<std::string>>& answer) {
  answer = co_await lookup.run(deadline);
}

Task<Result<void>> HostLookup::run(HostList& hosts, Instant deadline) {
  for (const HostPlace& place : hosts.places()) {
    if (place.needs_lookup()) lookups_.push_back(names_.look_up(place.host));
  }
  const Instant now = scheduler_.now();
  const bool is_half = hosts.places().size() > 1 && deadline != kNever && deadline > now;
  const Instant limit = is_half ? now + (deadline - now) / 2 : deadline;

  std::vector<Result<std::vector<std::string>>> answers(lookups_.size());
  TaskGroup asking(scheduler_);
  for (std::size_t i = 0; i < lookups_.size(); ++i) {
    asking.spawn(ask(*lookups_[i], limit, answers[i]));
  }
  co_await asking.join();
  lookups_.clear();

  std::vector<std::vector<std::string>> found;
  std::optional<Error> error;  // the first, unless a later one may pass
  for (Result<std::vector<std::string>>& answer : answers) {
    if (!answer) {
      const bool is_for_good = error && error->code() == Errc::refused;
      if (!error || (is_for_good && answer.error().code() != Errc::refused)) error = answer.error();
      if (!complaints_.empty()) complaints_ += "; ";
      complaints_ += answer.error().text();
    }
    found.push_back(answer ? std::move(*answer) : std::vector<std::string>());
  }
  hosts.fill_in(found);
  if (hosts.places().empty() && error) co_return failure(std::move(*error));
  co_return Result<void>();
}

void HostLookup::cancel() {
  for (const std::unique_ptr<NameLookup>& lookup : lookups_) lookup->cancel();
}

}  // namespace forebay::postgres
