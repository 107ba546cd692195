#include "forebay/proxy/session/statement_texts.hpp"

#include "forebay/detail/base/check.hpp"

namespace forebay::proxy {

StatementRef::~StatementRef() {
  if (statement_ != nullptr) statement_->home_.release(statement_);
}

StatementTexts::~StatementTexts() {
  const MutexLock lock(mutex_);
  FOREBAY_CHECK(shared_.empty(), "a statement outlives the texts");
}

wire::StatementReading StatementTexts::read(std::string_view sql) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = recent_.find(sql); found != recent_.end()) return found->second;
    if (const auto found = older_.find(sql); found != older_.end()) {
      wire::StatementReading reading = found->second;
      remember(sql, reading);
      return reading;
    }
  }
  // Two may read the same text at once; that is better than one waiting for the parser.
  wire::StatementReading reading = wire::read_statement(std::string(sql), trusted_);
  const MutexLock lock(mutex_);
  remember(sql, reading);
  return reading;
}

void StatementTexts::remember(std::string_view sql, const wire::StatementReading& reading) {
  if (recent_bytes_ + sql.size() > reading_bytes_) {
    older_ = std::move(recent_);
    recent_.clear();
    recent_bytes_ = 0;
  }
  if (sql.size() > reading_bytes_) return;
  // What a reading and its place take beside the text.
  constexpr std::size_t kOverhead = 256;
  if (recent_.emplace(sql, reading).second) recent_bytes_ += sql.size() + kOverhead;
}

StatementRef StatementTexts::intern(std::string_view body, const wire::StatementReading& reading) {
  const MutexLock lock(mutex_);
  if (const auto found = shared_.find(body); found != shared_.end())
    return StatementRef(found->second.get());
  auto statement = std::make_unique<SharedStatement>(*this, next_id_++, std::string(body), reading);
  StatementRef reference(statement.get());
  const std::string_view key = statement->body();
  shared_.emplace(key, std::move(statement));
  return reference;
}

void StatementTexts::release(SharedStatement* statement) {
  const MutexLock lock(mutex_);
  if (statement->users_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const auto found = shared_.find(std::string_view(statement->body()));
  FOREBAY_CHECK(found != shared_.end());
  shared_.erase(found);
}

std::size_t StatementTexts::statements() const {
  const MutexLock lock(mutex_);
  return shared_.size();
}

std::size_t StatementTexts::readings() const {
  const MutexLock lock(mutex_);
  return recent_.size() + older_.size();
}

}  // namespace forebay::proxy
