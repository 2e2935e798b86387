import './compare.test.ts';
