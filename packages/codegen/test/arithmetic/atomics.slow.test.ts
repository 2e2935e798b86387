import './atomics.test.ts';
