import './loops.test.ts';
