import './memory.test.ts';
