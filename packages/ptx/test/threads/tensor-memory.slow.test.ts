import './tensor-memory.test.ts';
