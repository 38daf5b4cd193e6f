// A sequential sign test by e-values: valid at every look, whatever decides when to stop, and
// without any distribution of the values: of each trial only whether it succeeded counts.
// Source: Shafer et al., "Test martingales, Bayes factors and p-values", 2011; Ramdas et al.,
// "Game-theoretic statistics and safe anytime-valid inference", 2023.
#pragma once

#include <cstddef>

namespace kbench {

// ln of the e-value against "given the past, each trial succeeds with probability at most 1/2".
// Under that hypothesis it ever reaches ln(1/a) with probability at most a (Ville's inequality).
// The wealth of bets on success probabilities from 0.55 to 0.98, in equal shares.
double log_e_value(std::size_t successes, std::size_t trials);

// The fewest successes in `trials` whose e-value reaches 1/`level`; trials + 1 where not even all
// do.
std::size_t fewest_successes(std::size_t trials, double level);

// The trials in all that reach 1/`level` where as many of them succeed as of these; 0 where no
// number does that anybody would wait for.
std::size_t expected_trials(std::size_t successes, std::size_t trials, double level);

}  // namespace kbench
