#include "forebay/proxy/cancel_book.hpp"

#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::proxy {

namespace {

constexpr std::size_t kLongSecret = 32;  // protocol 3.2 has room for it

std::string draw_secret(Random& random, std::size_t size) {
  std::string secret;
  while (secret.size() < size) {
    char bytes[8];
    const std::uint64_t drawn = random.next();
    wire::write_uint32(bytes, static_cast<std::uint32_t>(drawn >> 32));
    wire::write_uint32(bytes + 4, static_cast<std::uint32_t>(drawn));
    secret.append(bytes, sizeof bytes);
  }
  secret.resize(size);
  return secret;
}

// Whoever tries keys must not learn from the time it takes how much of one was right.
bool is_same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

}  // namespace

CancelBook::Entry::Entry(CancelBook& book, ClientFlow& client, wire::ProtocolVersion version)
    : book_(book),
      secret_(draw_secret(book.secret_,
                          version >= wire::kVersion32 ? kLongSecret : wire::kShortestCancelKey)) {
  do {
    process_ = ++book_.last_process_;
  } while (process_ == 0 || book_.clients_.contains(process_));
  book_.clients_.emplace(process_, Client{secret_, &client});
}

CancelBook::Entry::~Entry() { book_.clients_.erase(process_); }

ClientFlow* CancelBook::find(const wire::CancelKeyView& key) const {
  const auto found = clients_.find(key.process);
  if (found == clients_.end() || !is_same_secret(found->second.secret, key.key)) return nullptr;
  return found->second.flow;
}

}  // namespace forebay::proxy
