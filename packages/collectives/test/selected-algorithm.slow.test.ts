import './selected-algorithm.test.ts';
