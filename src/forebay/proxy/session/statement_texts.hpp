// StatementTexts: what is known of texts of SQL, for all clients of a route: what they do to their
// session, and prepared statements, of which equal ones are kept once.
//
// May be used from all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/wire/statement_reading.hpp"

namespace forebay::proxy {

class StatementTexts;

// A prepared statement as any number of clients and servers have it. Equal text and equal types of
// parameters make it the same.
class SharedStatement {
 public:
  SharedStatement(StatementTexts& home, std::uint64_t id, std::string body,
                  wire::StatementReading reading)
      : home_(home), id_(id), body_(std::move(body)), reading_(std::move(reading)) {}

  std::uint64_t id() const { return id_; }
  // Of Parse, without the name in front.
  const std::string& body() const { return body_; }
  const wire::StatementReading& reading() const { return reading_; }

 private:
  friend class StatementTexts;
  friend class StatementRef;

  StatementTexts& home_;
  const std::uint64_t id_;
  const std::string body_;
  const wire::StatementReading reading_;
  // The last user is found under the lock of the home; more users only come from users.
  std::atomic<std::uint32_t> users_{0};
};

// Keeps a SharedStatement, or nothing.
class StatementRef {
 public:
  StatementRef() = default;
  StatementRef(const StatementRef& other) : statement_(other.statement_) { add(); }
  StatementRef(StatementRef&& other) noexcept : statement_(std::exchange(other.statement_, {})) {}
  StatementRef& operator=(StatementRef other) noexcept {
    std::swap(statement_, other.statement_);
    return *this;
  }
  ~StatementRef();

  explicit operator bool() const { return statement_ != nullptr; }
  const SharedStatement& operator*() const { return *statement_; }
  const SharedStatement* operator->() const { return statement_; }

 private:
  friend class StatementTexts;
  explicit StatementRef(SharedStatement* statement) : statement_(statement) { add(); }
  void add() {
    if (statement_ != nullptr) statement_->users_.fetch_add(1, std::memory_order_relaxed);
  }

  SharedStatement* statement_ = nullptr;
};

class StatementTexts {
 public:
  // Readings are kept for about so many bytes of text, twice.
  static constexpr std::size_t kReadingBytes = std::size_t{2} * 1024 * 1024;

  explicit StatementTexts(wire::TrustedFunctions trusted = {},
                          std::size_t reading_bytes = kReadingBytes)
      : trusted_(std::move(trusted)), reading_bytes_(reading_bytes) {}
  StatementTexts(const StatementTexts&) = delete;
  StatementTexts& operator=(const StatementTexts&) = delete;
  ~StatementTexts();

  wire::StatementReading read(std::string_view sql);
  StatementRef intern(std::string_view body, const wire::StatementReading& reading);
  // A number that no other client has.
  std::uint64_t next_serial() { return serial_.fetch_add(1, std::memory_order_relaxed); }

  std::size_t statements() const;
  std::size_t readings() const;

 private:
  friend class StatementRef;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <class Key, class Value>
  using Table = std::unordered_map<Key, Value, Hash, std::equal_to<>>;

  void release(SharedStatement* statement);
  const wire::StatementReading* recall(std::string_view text) FOREBAY_REQUIRES(mutex_);
  void remember(std::string_view text, const wire::StatementReading& reading)
      FOREBAY_REQUIRES(mutex_);

  const wire::TrustedFunctions trusted_;
  const std::size_t reading_bytes_;
  std::atomic<std::uint64_t> serial_{1};  // only unique, so order does not matter

  mutable Mutex mutex_;
  // By their shape: those used lately, and those used before them: when the first are too many they
  // become the second, so that what is not asked for again goes.
  Table<std::string, wire::StatementReading> recent_ FOREBAY_GUARDED_BY(mutex_);
  Table<std::string, wire::StatementReading> older_ FOREBAY_GUARDED_BY(mutex_);
  std::size_t recent_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  // Keys are views of the bodies.
  Table<std::string_view, std::unique_ptr<SharedStatement>> shared_ FOREBAY_GUARDED_BY(mutex_);
  std::uint64_t next_id_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay::proxy
