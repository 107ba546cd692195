// IntrusiveHeap against a sorted vector.
#include "forebay/base/intrusive_heap.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

struct Item {
  int key = 0;
  int number = 0;  // breaks ties, as the heap demands
  HeapPlace place{};
};

bool is_earlier(const Item& a, const Item& b) {
  return a.key != b.key ? a.key < b.key : a.number < b.number;
}

using Items = IntrusiveHeap<Item, &Item::place, &is_earlier>;

TEST(IntrusiveHeapTest, ElementsComeOutInOrder) {
  std::array<Item, 5> storage;
  Items items;
  for (int index = 0; const int key : {4, 1, 5, 2, 3}) {
    Item& item = storage[static_cast<std::size_t>(index++)];
    item.key = key;
    items.push(item);
  }

  std::vector<int> keys;
  while (!items.empty()) keys.push_back(items.pop().key);

  EXPECT_EQ(keys, (std::vector{1, 2, 3, 4, 5}));
}

TEST(IntrusiveHeapTest, AnElementLeavesFromTheMiddle) {
  Item one{.key = 1};
  Item two{.key = 2};
  Item three{.key = 3};
  Items items;
  for (Item* item : {&one, &two, &three}) items.push(*item);

  const bool was_in = items.remove(two);

  EXPECT_TRUE(was_in);
  EXPECT_FALSE(two.place.is_in_heap());
  EXPECT_EQ(&items.pop(), &one);
  EXPECT_EQ(&items.pop(), &three);
}

TEST(IntrusiveHeapTest, RemovingWhatIsNotInTheHeapSaysSo) {
  Item item;
  Items items;

  const bool was_in = items.remove(item);

  EXPECT_FALSE(was_in);
}

TEST(IntrusiveHeapDeathTest, PushingTwiceStopsTheProcess) {
  Item item;
  Items items;
  items.push(item);

  EXPECT_DEATH(items.push(item), "is_in_heap");

  items.remove(item);
}

TEST(IntrusiveHeapDeathTest, AHeapThatDiesBeforeItsElementsStopsTheProcess) {
  Item item;
  const auto die_with_an_element = [&item] {
    Items items;
    items.push(item);
  };

  EXPECT_DEATH(die_with_an_element(), "heap_.empty");
}

// The model: the same elements in a sorted vector.
class Model {
 public:
  void push(const Item& item) {
    sorted_.insert(std::ranges::upper_bound(sorted_, &item, is_earlier_pointer), &item);
  }
  void remove(const Item& item) { std::erase(sorted_, &item); }
  const Item* front() const { return sorted_.empty() ? nullptr : sorted_.front(); }
  std::size_t size() const { return sorted_.size(); }

 private:
  static bool is_earlier_pointer(const Item* a, const Item* b) { return is_earlier(*a, *b); }
  std::vector<const Item*> sorted_;
};

RC_GTEST_PROP(IntrusiveHeapProperty, BehavesLikeASortedVector,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& commands)) {
  std::array<Item, 32> storage;
  Items items;
  Model model;

  for (int number = 0; const auto& [choice, key] : commands) {
    Item& item = storage[choice % storage.size()];
    if (choice >= 192 && !items.empty()) {
      const Item& popped = items.pop();
      RC_ASSERT(&popped == model.front());
      model.remove(popped);
    } else if (item.place.is_in_heap()) {
      RC_ASSERT(items.remove(item));
      model.remove(item);
    } else {
      item.key = key % 16;
      item.number = number++;
      items.push(item);
      model.push(item);
    }
    RC_ASSERT(items.size() == model.size());
    // The inner parentheses keep the short circuit: RC_ASSERT overloads the operators.
    RC_ASSERT((items.empty() || &items.front() == model.front()));
  }

  while (!items.empty()) {
    const Item& popped = items.pop();
    RC_ASSERT(&popped == model.front());
    model.remove(popped);
  }
}

}  // namespace
}  // namespace forebay
