import './calls.test.ts';
