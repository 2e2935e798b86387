import './debugging.test.ts';
