import './write-first-harness.test.ts';
