#pragma once

#include <zklock/testing/authority.hpp>
#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/error.hpp>
#include <zklock/testing/memory_server.hpp>
#include <zklock/testing/node.hpp>
#include <zklock/testing/operation.hpp>
#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>
#include <zklock/testing/server_options.hpp>

/// @namespace zklock::testing
///
/// Runs real ZooKeeper servers in tests, and injects faults. Serves unit tests from memory.
