import './all-reduce.test.ts';
