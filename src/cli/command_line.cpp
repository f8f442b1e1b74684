#include "cli/command_line.hpp"

#include "cli/failure.hpp"

#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace zklock::cli {

namespace options = boost::program_options;

command_line::command_line(std::string usage, std::string purpose, std::string examples)
    : usage_(std::move(usage)), purpose_(std::move(purpose)), examples_(std::move(examples)) {
  known_.add_options()("help,h", "print this help");
}

void command_line::add(const options::options_description& added) {
  shown_.add(added);
  known_.add(added);
}

void command_line::add_operand(const std::string& name, const options::value_semantic* value,
                               int count) {
  known_.add_options()(name.c_str(), value, "");
  operands_.add(name.c_str(), count);
}

namespace {

constexpr int style =
    options::command_line_style::unix_style & ~options::command_line_style::allow_guessing;

std::string upper_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

// options::error::what() replaces placeholders such as %value% in its text, and loops forever if an
// argument contains a placeholder.
std::string sentence_of(const options::error& fault, const std::vector<std::string>& arguments) {
  // Of operands, which the messages of Program_options would call options.
  if (const auto* missing = dynamic_cast<const options::required_option*>(&fault))
    return "no " + upper_case(missing->get_option_name().substr(2)) + " is given";
  if (dynamic_cast<const options::too_many_positional_options_error*>(&fault) != nullptr)
    return "too many arguments";
  const auto* about = dynamic_cast<const options::error_with_option_name*>(&fault);
  const bool may_have_placeholder =
      std::any_of(arguments.begin(), arguments.end(), [](const std::string& each) {
        return std::count(each.begin(), each.end(), '%') > 1;
      });
  return about && may_have_placeholder ? "invalid option " + about->get_option_name()
                                       : fault.what();
}

} // namespace

bool command_line::parse(const std::vector<std::string>& arguments) try {
  options::variables_map given;
  options::store(options::command_line_parser(arguments)
                     .options(known_)
                     .positional(operands_)
                     .style(style)
                     .run(),
                 given);
  if (given.contains("help")) {
    print_help();
    return false;
  }
  options::notify(given);
  return true;
} catch (const options::error& e) {
  throw usage_error(sentence_of(e, arguments));
}

bool command_line::takes_value(const std::string& name) const {
  const auto* found = known_.find_nothrow(name, false);
  return found != nullptr && found->semantic()->max_tokens() > 0;
}

bool command_line::takes_next(const std::string& argument) const {
  if (argument.starts_with("--"))
    return argument.find('=') == argument.npos && takes_value(argument.substr(2));
  // The letters of several options. Only the last letter can take the next argument as its value.
  const auto with_value = std::find_if(argument.begin() + 1, argument.end(), [this](char letter) {
    return takes_value(std::string("-") + letter);
  });
  return with_value != argument.end() && with_value + 1 == argument.end();
}

std::size_t command_line::count_options(const std::vector<std::string>& arguments) const {
  std::size_t count = 0;
  while (count < arguments.size()) {
    const auto& each = arguments[count];
    if (each.size() < 2 || each[0] != '-' || each == "--") break;
    count += takes_next(each) ? 2U : 1U;
  }
  return std::min(count, arguments.size());
}

void command_line::print_help() const {
  std::cout << "Usage: zklock " << usage_ << "\n\n" << purpose_ << shown_;
  if (!examples_.empty()) std::cout << "\nExamples:\n" << examples_;
}

} // namespace zklock::cli
