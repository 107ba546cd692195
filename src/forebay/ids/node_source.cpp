#include "forebay/ids/node_source.hpp"

#include "forebay/detail/base/check.hpp"

namespace forebay {

FixedNode::FixedNode(int node) : node_(node) {
  FOREBAY_CHECK(node >= 0 && node < kNodeNumbers, "a node number is 0 to 1023");
}

Result<NodeTerm> FixedNode::term() const {
  NodeTerm term;
  term.node = node_;
  return term;
}

}  // namespace forebay
