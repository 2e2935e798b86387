import './unknown-values.test.ts';
