import './one-verdict.test.ts';
