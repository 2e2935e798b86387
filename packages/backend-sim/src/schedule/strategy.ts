/** @see SimOptions.strategy */
export type Strategy = 'random' | 'pct' | 'late' | 'hasty' | 'replay';
