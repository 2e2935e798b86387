import './repeated-stores.test.ts';
