import './stale-flags.test.ts';
