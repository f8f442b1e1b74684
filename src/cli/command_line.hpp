#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>

#include <string>
#include <vector>

namespace zklock::cli {

/// The command line of a subcommand: its options, its operands and its help.
class command_line {
 public:
  /// `usage` follows "zklock" in the help, with a line for each form. `examples` is the last part
  /// of the help.
  command_line(std::string usage, std::string purpose, std::string examples);

  /// Adds options that the help shows.
  void add(const boost::program_options::options_description& options);

  /// Adds an operand, which takes all remaining arguments if `count` is -1. The help does not show
  /// the option of an operand.
  void add_operand(const std::string& name, const boost::program_options::value_semantic* value,
                   int count = 1);

  /// Parses options and operands in any order. Returns false after printing the help. Throws
  /// `usage_error`.
  bool parse(const std::vector<std::string>& arguments);

  /// Returns the number of arguments that stand before the first operand: options and their values.
  /// A command line whose operands have options of their own is cut there, and the first part is
  /// parsed.
  std::size_t count_options(const std::vector<std::string>& arguments) const;

 private:
  void print_help() const;
  bool takes_value(const std::string& name) const;
  bool takes_next(const std::string& argument) const;

  std::string usage_;
  std::string purpose_;
  std::string examples_;
  boost::program_options::options_description shown_;
  boost::program_options::options_description known_;
  boost::program_options::positional_options_description operands_;
};

} // namespace zklock::cli
