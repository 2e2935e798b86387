import './bits.test.ts';
