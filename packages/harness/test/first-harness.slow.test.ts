import './first-harness.test.ts';
