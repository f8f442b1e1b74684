// The fields of the log, read by a strict reader of logfmt.
#include "fuzz.hpp"
#include "support/log_line.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

using zklock::fuzz::input;
using zklock::fuzz::require;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

class reader {
 public:
  explicit reader(std::string_view line) : rest_(line) {}

  std::optional<fields> run() {
    fields all;
    while (!rest_.empty()) {
      if (!take(" ")) return std::nullopt;
      const auto key = rest_.substr(0, rest_.find('='));
      rest_.remove_prefix(key.size());
      if (key.empty() || !take("=")) return std::nullopt;
      auto value = take("\"") ? quoted() : plain();
      if (!value) return std::nullopt;
      all.emplace_back(key, std::move(*value));
    }
    return all;
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::optional<std::string> plain() {
    std::string value(rest_.substr(0, rest_.find(' ')));
    rest_.remove_prefix(value.size());
    if (value.empty() || value.find_first_of("=\"\\") != value.npos) return std::nullopt;
    return value;
  }

  std::optional<std::string> quoted() {
    std::string value;
    while (!rest_.empty()) {
      if (take("\"")) return value;
      if (take("\\n")) {
        value += '\n';
      } else if (take("\\x")) {
        if (rest_.size() < 2) return std::nullopt;
        value += static_cast<char>(std::stoi(std::string(rest_.substr(0, 2)), nullptr, 16));
        rest_.remove_prefix(2);
      } else if (take("\\")) {
        if (!rest_.starts_with('\\') && !rest_.starts_with('"')) return std::nullopt;
        value += rest_.front();
        rest_.remove_prefix(1);
      } else {
        value += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input in(data, size);
  zklock::detail::log_line line("");
  fields written;
  while (!in.empty()) {
    written.emplace_back("key" + std::to_string(written.size()), in.text());
    line.field(written.back().first, written.back().second);
  }
  const auto text = line.take();
  require(!zklock::fuzz::has_control(text), "a line has a control character");
  for (const std::string_view separator : {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xc2\x85", "\xc2\x9b"})
    require(text.find(separator) == text.npos, "a line has a separator of lines");
  require(reader(text).run() == written, "the fields do not come back as they went");
  return 0;
}
