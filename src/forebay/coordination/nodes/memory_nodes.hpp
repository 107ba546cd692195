// The store of node numbers in memory: MemoryNodes, the model that says what each request does, and
// MemoryNodeStore, which answers with it at once. Confined.
#pragma once

#include <map>
#include <vector>

#include "forebay/coordination/nodes/node_store.hpp"

namespace forebay {

class MemoryNodes {
 public:
  std::vector<NodeRecord> list() const {
    std::vector<NodeRecord> records;
    for (const auto& [number, record] : records_) records.push_back(record);
    return records;
  }
  NodeReply claim(const NodeClaim& claim) {
    const auto found = records_.find(claim.number);
    if (found == records_.end() && claim.seen != 0) return {false};
    if (found != records_.end()) {
      const NodeRecord& old = found->second;
      if (old.holder == claim.holder) return {true};
      if (old.version != claim.seen || old.ids_until > claim.ids_until) return {false};
    }
    NodeRecord& record = records_.try_emplace(claim.number, claim.number).first->second;
    record.holder = claim.holder;
    record.ttl = claim.ttl;
    record.ids_until = claim.ids_until;
    ++record.version;
    return {true};
  }
  NodeReply renew(const NodeRenewal& renewal) {
    const auto found = records_.find(renewal.number);
    if (found == records_.end() || found->second.holder != renewal.holder) return {false};
    if (found->second.ids_until > renewal.ids_until) return {false};
    found->second.ids_until = renewal.ids_until;
    ++found->second.version;
    return {true};
  }
  NodeReply release(const NodeRelease& release) {
    const auto found = records_.find(release.number);
    if (found == records_.end() || found->second.holder != release.holder) return {false};
    found->second.holder.clear();
    ++found->second.version;
    return {false};
  }

 private:
  std::map<int, NodeRecord> records_;
};

class MemoryNodeStore final : public NodeStore {
 public:
  explicit MemoryNodeStore(MemoryNodes& model) : model_(model) {}

  Task<Result<std::vector<NodeRecord>>> list(Instant) override { co_return model_.list(); }
  Task<Result<NodeReply>> claim(NodeClaim claim, Instant) override {
    co_return model_.claim(claim);
  }
  Task<Result<NodeReply>> renew(NodeRenewal renewal, Instant) override {
    co_return model_.renew(renewal);
  }
  Task<Result<NodeReply>> release(NodeRelease release, Instant) override {
    co_return model_.release(release);
  }

 private:
  MemoryNodes& model_;
};

}  // namespace forebay
