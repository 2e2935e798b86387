import './endless-loops.test.ts';
