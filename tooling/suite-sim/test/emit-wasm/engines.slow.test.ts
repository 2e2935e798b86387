import './engines.test.ts';
