import './two-signal-barriers.test.ts';
