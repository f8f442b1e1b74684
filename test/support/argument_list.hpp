#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::test {

/// The arguments of a test program that is no Boost.Test program: flags, options with a value, and
/// words.
class argument_list {
 public:
  explicit argument_list(std::string program) : usage_("usage: " + std::move(program)) {}

  /// An option without a value, `--trace` for example.
  void flag(const std::string& name, bool& is_given) {
    usage_ += " [" + name + ']';
    flags_.emplace(name, &is_given);
  }

  /// An option with a value. `placeholder` stands for the value in the usage. The function reads
  /// the value, and returns whether it is valid.
  void value(const std::string& name, const std::string& placeholder,
             std::function<bool(const char*)> read) {
    usage_ += " [" + name + ' ' + placeholder + ']';
    values_.emplace(name, std::move(read));
  }

  /// Arguments that begin without a dash. Without this call they are refused.
  void words(const std::string& placeholder, std::function<void(const char*)> read) {
    usage_ += " [" + placeholder + "...]";
    word_ = std::move(read);
  }

  /// Reads all arguments. Prints the usage and returns false if an argument is unknown, or its
  /// value is missing or invalid.
  bool parse(int count, char** arguments) const {
    for (int i = 1; i < count; ++i) {
      const std::string_view name = arguments[i];
      const auto flag = flags_.find(name);
      const auto value = values_.find(name);
      if (flag != flags_.end())
        *flag->second = true;
      else if (word_ && !name.starts_with('-'))
        word_(arguments[i]);
      else if (value == values_.end() || i + 1 == count || !value->second(arguments[++i]))
        return refuse();
    }
    return true;
  }

  /// Prints the usage; returns false.
  bool refuse() const {
    std::puts(usage_.c_str());
    return false;
  }

 private:
  std::string usage_;
  std::map<std::string, bool*, std::less<>> flags_;
  std::map<std::string, std::function<bool(const char*)>, std::less<>> values_;
  std::function<void(const char*)> word_;
};

} // namespace zklock::test
