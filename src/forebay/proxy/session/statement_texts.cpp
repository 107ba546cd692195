#include "forebay/proxy/session/statement_texts.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/statement_shape.hpp"

namespace forebay::proxy {

StatementRef::~StatementRef() {
  if (statement_ != nullptr) statement_->home_.release(statement_);
}

StatementTexts::~StatementTexts() {
  const MutexLock lock(mutex_);
  FOREBAY_CHECK(shared_.empty(), "a statement outlives the texts");
}

// The parser takes longer than all the rest, so those who write constants into their texts must not
// pay for it each time. What it cannot read it may read with other constants.
wire::StatementReading StatementTexts::read(std::string_view sql) {
  const wire::StatementShape of_it(sql);
  const std::string_view shape = of_it.text();
  {
    const MutexLock lock(mutex_);
    if (const wire::StatementReading* const known = recall(shape)) return *known;
    if (shape.data() != sql.data()) {
      if (const wire::StatementReading* const known = recall(sql)) return *known;
    }
  }
  // Two may read the same text at once; that is better than one waiting for the parser.
  wire::StatementReading reading = wire::read_statement(std::string(sql), trusted_);
  const MutexLock lock(mutex_);
  remember(reading.is_understood ? shape : sql, reading);
  return reading;
}

// Null: it is not known.
const wire::StatementReading* StatementTexts::recall(std::string_view text) {
  if (const auto found = recent_.find(text); found != recent_.end()) return &found->second;
  const auto found = older_.find(text);
  if (found == older_.end()) return nullptr;
  remember(text, wire::StatementReading(found->second));
  const auto kept = recent_.find(text);
  return kept != recent_.end() ? &kept->second : nullptr;
}

void StatementTexts::remember(std::string_view text, const wire::StatementReading& reading) {
  if (recent_bytes_ + text.size() > reading_bytes_) {
    older_ = std::move(recent_);
    recent_.clear();
    recent_bytes_ = 0;
  }
  if (text.size() > reading_bytes_) return;
  // What a reading and its place take beside the text.
  constexpr std::size_t kOverhead = 256;
  if (recent_.emplace(text, reading).second) recent_bytes_ += text.size() + kOverhead;
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
  std::uint32_t users = statement->users_.load(std::memory_order_relaxed);
  while (users > 1) {  // it is not the last one, so nothing is to be found
    if (statement->users_.compare_exchange_weak(users, users - 1, std::memory_order_acq_rel))
      return;
  }
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
