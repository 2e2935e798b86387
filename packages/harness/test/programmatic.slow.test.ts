import './programmatic.test.ts';
