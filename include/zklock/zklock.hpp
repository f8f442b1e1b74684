#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/client_options.hpp>
#include <zklock/clock.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/hold.hpp>
#include <zklock/log.hpp>
#include <zklock/mutex.hpp>
#include <zklock/owner.hpp>
#include <zklock/participant.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>
#include <zklock/transaction.hpp>
#include <zklock/with_lock.hpp>
