"""Statistical promises as tests: many seeded studies, judged by a binomial test."""
