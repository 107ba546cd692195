// CapturedLog: while it lives, the log's events come here and nowhere else, from all threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/log.hpp"
#include "forebay/detail/base/mutex.hpp"

namespace forebay::test {

class CapturedLog {
 public:
  explicit CapturedLog(log::Level level = log::Level::debug) {
    log::write_all_repeats();  // of others
    log::set_level(level);
    log::set_sink([this](const log::Event& event) {
      MutexLock lock(mutex_);
      events_.emplace_back(event);
    });
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  // REQUIRES: nothing logs any more.
  ~CapturedLog() {
    log::write_all_repeats();
    log::set_sink({});
    log::set_level(log::Level::warning);
  }

  // All events so far, or those with that message: "warning Reservoir empty pool=orders waiters=1".
  std::vector<std::string> lines(std::optional<std::string_view> message = std::nullopt) const
      FOREBAY_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<std::string> lines;
    for (const log::KeptEvent& kept : events_) {
      const log::Event event = kept.event();
      if (message && event.message != *message) continue;
      lines.push_back(std::string(name(event.level)) + " " + describe(event));
    }
    return lines;
  }
  // The values of a field, of all events with that message that have it.
  std::vector<std::string> values(std::string_view message, std::string_view field) const
      FOREBAY_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<std::string> values;
    for (const log::KeptEvent& kept : events_) {
      const log::Event event = kept.event();
      const std::optional<std::string> value = event.text(field);
      if (event.message == message && value) values.push_back(*value);
    }
    return values;
  }
  std::size_t count(std::string_view message) const { return lines(message).size(); }

 private:
  mutable Mutex mutex_;
  std::vector<log::KeptEvent> events_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::test
