import './repeated-calls.test.ts';
