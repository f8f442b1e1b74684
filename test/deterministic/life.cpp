#include "life.hpp"

namespace deterministic {

void life::called(std::string_view function) const {
  if (inside_ == this)
    world_.violated(text(name_, ": ", function, " runs inside a call of the program"));
}

void life::drop_one(dice& dice) {
  if (things_.empty()) return;
  std::swap(things_[dice.below(things_.size())], things_.back());
  const call now(*this);
  const auto dropped = std::move(things_.back());
  things_.pop_back();
}

// A destructor of an object may end with a handler that adds another object.
void life::drop_all() {
  while (!things_.empty()) {
    const call now(*this);
    const auto dropped = std::exchange(things_, {});
  }
}

life::expected_call::expected_call(std::shared_ptr<life> of, bool on_loop, std::string name)
    : life_(std::move(of)), on_loop_(on_loop), name_(std::move(name)) {
  ++life_->open_[on_loop_];
}

life::expected_call::~expected_call() {
  if (!life_ || is_called_) return;
  --life_->open_[on_loop_];
  const bool ends = on_loop_ ? life_->loops_end_ : life_->context_ends_;
  if (!ends) life_->world_.violated(text(life_->name_, ": a handler is never called: ", name_));
}

void life::expected_call::called() {
  if (std::exchange(is_called_, true))
    return life_->world_.violated(text(life_->name_, ": a handler is called twice: ", name_));
  --life_->open_[on_loop_];
  life_->called(text("a handler of ", name_));
  if (on_loop_ ? life_->loops_end_ : life_->context_ends_)
    life_->world_.violated(text(life_->name_, ": a handler outlives its context: ", name_));
  if (on_loop_ && life_->context_ends_)
    life_->world_.statistics.count(seen::handler_after_the_context);
}

} // namespace deterministic
