import './cases.test.ts';
