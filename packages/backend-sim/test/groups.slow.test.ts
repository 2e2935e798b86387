import './groups.test.ts';
