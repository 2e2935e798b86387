import './a2a.test.ts';
